package issuer

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Journey is a log-in that is under way at the issuer, as the browser keeps it.
type Journey struct {
	State    string `json:"state"`
	Verifier string `json:"verifier"`
	Nonce    string `json:"nonce"`
	Next     string `json:"next"` // where it leads in the end
}

// LogsIn says whether people can log in there.
func (i *Issuer) LogsIn() bool { return i.cfg.ClientID != "" }

// Depart begins a log-in: at an address of the issuer, which leads back to one of ours. It fails with ErrAway.
func (i *Issuer) Depart(ctx context.Context, back, next string) (address string, j Journey, err error) {
	client, err := i.oauth(ctx, back)
	if err != nil {
		return "", j, err
	}
	j = Journey{State: rand.Text(), Verifier: oauth2.GenerateVerifier(), Nonce: rand.Text(), Next: next}
	return client.AuthCodeURL(j.State, oauth2.S256ChallengeOption(j.Verifier), oidc.Nonce(j.Nonce)), j, nil
}

// Arrive is who comes back from the issuer, with what that told in the query. It fails with ErrRefused and ErrAway.
func (i *Issuer) Arrive(ctx context.Context, back string, j Journey, told url.Values) (*Person, error) {
	if j.State == "" || subtle.ConstantTimeCompare([]byte(told.Get("state")), []byte(j.State)) != 1 || told.Get("code") == "" {
		return nil, ErrRefused
	}
	if iss := told.Get("iss"); iss != "" && iss != i.cfg.URL { // RFC 9207: another issuer's code
		return nil, ErrRefused
	}
	client, err := i.oauth(ctx, back)
	if err != nil {
		return nil, err
	}
	given, err := client.Exchange(oidc.ClientContext(ctx, i.client), told.Get("code"), oauth2.VerifierOption(j.Verifier))
	if refusal, is := errors.AsType[*oauth2.RetrieveError](err); is && refusal.Response != nil {
		i.log.WarnContext(ctx, "the issuer does not take what came back from a log-in", "error", refusal.ErrorCode, "status", refusal.Response.StatusCode)
		if refusal.Response.StatusCode < 500 {
			return nil, ErrRefused
		}
		return nil, ErrAway
	}
	if err != nil {
		i.log.WarnContext(ctx, "the issuer does not answer for a log-in", "error", plain(err))
		return nil, ErrAway
	}
	token, _ := given.Extra("id_token").(string)
	c, p, err := i.verify(ctx, token, i.cfg.ClientID)
	if err != nil {
		return nil, err
	}
	if azp := c.text("azp"); subtle.ConstantTimeCompare([]byte(c.text("nonce")), []byte(j.Nonce)) != 1 || azp != "" && azp != i.cfg.ClientID {
		return nil, ErrRefused
	}
	return p, nil
}

// oauth is who we are to the issuer.
func (i *Issuer) oauth(ctx context.Context, back string) (*oauth2.Config, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	p, err := i.provider(ctx)
	if err != nil {
		i.log.WarnContext(ctx, "the issuer does not answer for a log-in", "error", err)
		return nil, ErrAway
	}
	return &oauth2.Config{
		ClientID: i.cfg.ClientID, ClientSecret: i.cfg.ClientSecret, Endpoint: p.Endpoint(), RedirectURL: back,
		Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}, nil
}
