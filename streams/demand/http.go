package demand

import (
	"context"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/workflow"
)

// PutWorkflow stores a workflow written over HTTP and sets off what CREATE_RESOURCE does: missing
// planners are asked for, in the background. Its errors are those of store.Workflows.Put.
func (s *Service) PutWorkflow(ctx context.Context, w *workflow.Workflow, raw []byte, by store.Author, cond store.Condition) (revision uint64, stored []byte, created bool, err error) {
	revision, stored, created, err = s.store.Workflows.Put(ctx, w.ID(), raw, by, cond)
	if err != nil {
		return 0, nil, false, err
	}
	for _, id := range w.Peers() {
		s.once(id)
	}
	return revision, stored, created, nil
}

// DeleteWorkflow removes a workflow. Its errors are those of store.Workflows.Delete.
func (s *Service) DeleteWorkflow(ctx context.Context, workflowID string, by *access.Subject, cond store.Condition) error {
	return s.store.Workflows.Delete(ctx, workflowID, by, cond)
}
