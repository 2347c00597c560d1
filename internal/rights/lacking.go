package rights

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// patience bounds what the server takes to tell.
const patience = 3 * time.Second

// ConnOption is one that connections need to be asked about.
func ConnOption() nats.Option { return nats.PermissionErrOnSubscribe(true) }

// Lacking tries which of the rights of Needed the user of a connection lacks. Who hears no answers is
// told of that alone. It fails with what is known besides when the server does not tell, which it can't
// where the user may not publish on inboxes.
func Lacking(ctx context.Context, nc *nats.Conn) (lacks []Right, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	needed := Needed()
	publish := slices.IndexFunc(needed, func(r Right) bool { return !r.Subscribe })
	if lacks, err = deaf(ctx, nc, needed[:publish]); err != nil || slices.Contains(lacks, needed[0]) {
		return lacks, err
	}
	denied, err := trace(ctx, nc, needed[publish:])
	return append(lacks, denied...), err
}

// deaf tries which subscriptions are refused. They stand for as long as it takes to be told.
func deaf(ctx context.Context, nc *nats.Conn, needed []Right) (lacks []Right, err error) {
	subs := make([]*nats.Subscription, len(needed))
	for i, r := range needed {
		if subs[i], err = nc.SubscribeSync(r.tried); err != nil {
			return nil, err
		}
		defer func() { _ = subs[i].Unsubscribe() }() // it fails when the connection is gone, and it with it
	}
	if err := nc.FlushWithContext(ctx); err != nil {
		return nil, err
	}
	for i, r := range needed {
		if _, err := subs[i].NextMsg(time.Nanosecond); errors.Is(err, nats.ErrPermissionViolation) {
			lacks = append(lacks, r)
		}
	}
	return lacks, nil
}

// most is how many of many rights are spelt out.
const most = 5

// Words says what a user may not.
func Words(lacks []Right) string {
	var parts []string
	for _, subscribe := range []bool{true, false} {
		var subjects []string
		for _, r := range lacks {
			if r.Subscribe == subscribe {
				subjects = append(subjects, r.Subject)
			}
		}
		if len(subjects) > 0 {
			parts = append(parts, "may not "+map[bool]string{true: "subscribe to ", false: "publish on "}[subscribe]+some(subjects))
		}
	}
	return "the NATS user " + strings.Join(parts, ", and ")
}

func some(subjects []string) string {
	if len(subjects) <= most {
		return strings.Join(subjects, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(subjects[:most], ", "), len(subjects)-most)
}
