package peer

import (
	"context"
	"log/slog"
	"maps"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/nclprotocol"
)

// executions is the dimension that says how many executions may run, or wait.
const executions = "executions"

// info tells what the node is.
type info struct {
	cfg    Config
	ledger *ledger.Ledger
	runner *runner
	log    *slog.Logger
}

var _ nclprotocol.NodeInfoProvider = (*info)(nil)

// GetNodeInfo is what the configuration says, with what is free and what waits now.
func (i *info) GetNodeInfo(ctx context.Context) nclprotocol.NodeInfo {
	free, err := i.ledger.Free()
	if err != nil {
		i.log.WarnContext(ctx, "free capacity is not known", "error", err)
		free = nclprotocol.Amounts{}
	}
	more, queued := i.runner.load()
	free[executions] = float64(more)
	return nclprotocol.NodeInfo{
		NodeID: i.cfg.NodeID, PeerID: i.cfg.PeerID, Version: i.cfg.Version, Labels: maps.Clone(i.cfg.Labels),
		Resources: resources(i.cfg.Resources),
		Free:      free,
		Queued:    nclprotocol.Amounts{executions: float64(queued)},
	}
}

func resources(capacities ledger.Capacities) map[string]map[string]nclprotocol.Amounts {
	all := make(map[string]map[string]nclprotocol.Amounts, len(capacities))
	for resource, instances := range capacities {
		all[resource] = make(map[string]nclprotocol.Amounts, len(instances))
		for instance, amounts := range instances {
			all[resource][instance] = amounts.Floats()
		}
	}
	return all
}
