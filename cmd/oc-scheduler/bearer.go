package main

import (
	"fmt"
	"os"
	"strings"
)

// tokenFlag says who asks. The token itself is no flag: those are for all to see who list processes.
type tokenFlag struct {
	TokenFile string `placeholder:"FILE" help:"A file with the token to show, instead of the one in $OC_TOKEN."`
}

// token is what is shown to replicas; "" is nothing.
func (f tokenFlag) token(con *console) (string, error) {
	if f.TokenFile == "" {
		token, _ := con.env("OC_TOKEN")
		return plainToken("OC_TOKEN", token)
	}
	return f.fromFile()
}

func (f tokenFlag) fromFile() (string, error) {
	text, err := os.ReadFile(f.TokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return plainToken("--token-file", string(text))
}

// plainToken is text without the white space around it, if it can stand in a header. It is not repeated.
func plainToken(from, text string) (string, error) {
	token := strings.TrimSpace(text)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: not a token", from)
	}
	return token, nil
}
