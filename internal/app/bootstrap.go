package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/tokens"
)

// firstToken is a token of an administrator that is being made. Its file gets its name when the token stands, so
// that whoever finds it can use it.
type firstToken struct {
	credential access.Credential
	draft      string // the file, under a name of its own
}

// bootstrap makes a first token of an administrator, where it is asked for and none lives. It fails with
// kv.ErrUnavailable, after which it may be called again, and with a *ConfigError.
func (r *Replica) bootstrap(ctx context.Context, of *tokens.Tokens) error {
	file := r.cfg.BootstrapTokenFile
	if file == "" {
		return nil
	}
	if r.first == nil { // else the last try may have made it
		if governed, err := of.Governed(ctx, time.Now()); err != nil || governed {
			return err
		}
		first, err := draftToken(file)
		if err != nil {
			return &ConfigError{flag("--bootstrap-token-file", err)}
		}
		r.first = first
	}
	err := of.Begin(ctx, r.first.credential, time.Now())
	if errors.Is(err, tokens.ErrExists) { // another replica was faster
		return os.Remove(r.first.draft)
	}
	if err != nil {
		return err
	}
	if err := os.Link(r.first.draft, file); err != nil { // which does not replace what stands there
		return &ConfigError{flag("--bootstrap-token-file", errors.Join(err, of.Revoke(ctx, tokens.Bootstrap), os.Remove(r.first.draft)))}
	}
	r.log.InfoContext(ctx, "made a first token of an administrator", "file", file, "subject", tokens.SubjectID(tokens.Bootstrap))
	return os.Remove(r.first.draft)
}

// draftToken makes a token and writes it beside the file.
func draftToken(file string) (*firstToken, error) {
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s is there already, and is not written over; no administrator's token lives", file), err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*") // of mode 0600
	if err != nil {
		return nil, err
	}
	c := access.MintAs(tokens.Bootstrap)
	_, err = f.WriteString(c.Reveal() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return &firstToken{c, f.Name()}, nil
}
