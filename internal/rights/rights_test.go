package rights_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/rights"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// without is a user who lacks one right.
func without(name string, r rights.Right) *server.User {
	may := &server.Permissions{}
	deny := &server.SubjectPermission{Deny: []string{r.Subject}}
	if r.Subscribe {
		may.Subscribe = deny
	} else {
		may.Publish = deny
	}
	return &server.User{Username: name, Password: name, Permissions: may}
}

// TestEachRightIsMissed holds that whatever right is taken away alone is what is told, by its subject.
func TestEachRightIsMissed(t *testing.T) {
	t.Parallel()
	needed := rights.Needed()
	var users []*server.User
	for i, r := range needed {
		users = append(users, without(fmt.Sprint("lacks-", i), r))
	}
	srv := natstest.Start(t, func(o *server.Options) { o.Users = append(users, &server.User{Username: "free", Password: "free"}) })
	ask := func(user string) ([]rights.Right, error) {
		return rights.Lacking(t.Context(), srv.Connect(t, nats.UserInfo(user, user), rights.ConnOption()))
	}
	if lacks, err := ask("free"); err != nil || len(lacks) > 0 {
		t.Fatalf("who may do all: %v %v", lacks, err)
	}
	for i, r := range needed {
		lacks, err := ask(fmt.Sprint("lacks-", i))
		if err != nil || !slices.Contains(lacks, r) || !strings.Contains(rights.Words(lacks), r.Subject) {
			t.Errorf("without %+v: %v %v", r, lacks, err)
		}
		for _, also := range lacks { // it may cover others
			if !strings.HasPrefix(also.Subject, strings.TrimSuffix(r.Subject, ">")) {
				t.Errorf("without %+v: %+v", r, also)
			}
		}
	}
}

// TestWhatIsNotTold holds that a server that tells nothing is not taken for one that permits all.
func TestWhatIsNotTold(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "mute", Password: "mute", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Deny: []string{"_INBOX.>"}},
			Subscribe: &server.SubjectPermission{Deny: []string{"oc.compute.>"}},
		}}}
	})
	lacks, err := rights.Lacking(t.Context(), srv.Connect(t, nats.UserInfo("mute", "mute"), rights.ConnOption()))
	if err == nil || len(lacks) != 2 {
		t.Errorf("%v %v", lacks, err)
	}
}
