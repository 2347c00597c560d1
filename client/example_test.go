package client_test

import (
	"context"
	"errors"
	"fmt"

	"oc-scheduler/client"
)

func ExampleClient_WatchWorkflow() {
	server, stop := serve() // or oc-scheduler serve
	defer stop()

	ctx := context.Background()
	c, err := client.New(server)
	if err != nil {
		panic(err)
	}
	align := client.Workflow{ID: "align", Graph: client.Graph{Items: map[string]client.WorkflowItem{
		"on": {Compute: &client.WorkflowNeed{ID: "gpu-cluster", PeerID: "peer-a"}},
	}}}
	if _, err := c.PutWorkflow(ctx, "align", align, nil); err != nil {
		panic(err)
	}
	for answer, err := range c.WatchWorkflow(ctx, "align", client.CheckRequest{DurationS: new(3600.0)}) {
		if err != nil {
			fmt.Println("the end:", err)
			break
		}
		fmt.Println(answer.Status, answer.MissingPlanners)
		if err := c.DeleteWorkflow(ctx, "align"); err != nil {
			panic(err)
		}
	}
	_, err = c.BookSchedule(ctx, "align", client.ScheduleRequest{Cron: "every monday"})
	if refused, ok := errors.AsType[*client.Problem](err); ok {
		for _, fault := range refused.Errors {
			fmt.Println(refused.Status, fault.Path, fault.Message)
		}
	}
	// Output:
	// unknown [peer-a]
	// the end: The workflow was removed
	// 422 $.cron not a cron expression: 2 fields; minute, hour, day of month, month and day of week are needed
}
