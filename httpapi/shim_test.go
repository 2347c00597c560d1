package httpapi_test

import (
	"context"

	"oc-scheduler/store"
	"oc-scheduler/store/workflow"
)

type shim struct{ *store.Store }

func (s shim) Watch([]string) func() { return func() {} }

func (s shim) PutWorkflow(ctx context.Context, w *workflow.Workflow, raw []byte, cond store.Condition) (uint64, bool, error) {
	return s.Workflows.Put(ctx, w.ID(), raw, cond)
}

func (s shim) DeleteWorkflow(ctx context.Context, id string, cond store.Condition) error {
	return s.Workflows.Delete(ctx, id, cond)
}
