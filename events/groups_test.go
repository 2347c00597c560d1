package events

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// groupsOnly notes the groups that workflows come with.
type groupsOnly struct {
	Handler
	got []string
}

func (g *groupsOnly) WorkflowCreated(_ context.Context, a Arrival, _ []byte) error {
	g.got = a.Groups
	return nil
}

func TestWorkflowsComeWithTheGroupsOfTheirEnvelope(t *testing.T) {
	t.Parallel()
	for groups, want := range map[string][]string{`["b","a"]`: {"b", "a"}, `[]`: nil, `null`: nil} {
		e, err := accept(CreateResource, nil, fmt.Appendf(nil, `{"datatype":"WORKFLOW","groups":%s,"payload":{"id":"w"}}`, groups))
		if err != nil {
			t.Fatal(err)
		}
		var h groupsOnly
		if err := e.deliver(t.Context(), &h, Arrival{Seq: 1}); err != nil || !slices.Equal(h.got, want) {
			t.Errorf("%s: %q, %v", groups, h.got, err)
		}
	}
}
