package compute

import (
	"context"
	"fmt"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// position is a sequence that was stored, or none yet.
type position struct {
	stored   bool
	sequence uint64
}

func (cp *ControlPlane) heartbeat(ctx context.Context) error {
	err := cp.beat(ctx)
	if err != nil {
		cp.params.HealthTracker.heartbeatFailed(err)
	}
	return err
}

func (cp *ControlPlane) beat(ctx context.Context) error {
	info, err := tell(ctx, cp.cfg)
	if err != nil {
		return err
	}
	answer, err := ask[nclprotocol.HeartbeatResponse](ctx, cp.cfg, cp.params.Requester, nclprotocol.HeartbeatRequest{
		Free:                  info.Free,
		Queued:                info.Queued,
		LastSchedulerSequence: cp.params.IncomingSeqTracker.LastSequence(),
	})
	switch {
	case err != nil:
		return err
	case answer.HandshakeRequired:
		cp.handshakeRequired(ctx, answer.Reason)
	default:
		cp.params.HealthTracker.HeartbeatSuccess()
		if answer.OfferRequired {
			cp.offers.tellAgain()
		}
	}
	return nil
}

// updateNodeInfo tells what changed, again and again until it is accepted.
func (cp *ControlPlane) updateNodeInfo(ctx context.Context) error {
	info, err := tell(ctx, cp.cfg)
	if err != nil || info.Equal(cp.told) {
		return err
	}
	answer, err := ask[nclprotocol.UpdateNodeInfoResponse](ctx, cp.cfg, cp.params.Requester, nclprotocol.UpdateNodeInfoRequest{NodeInfo: info})
	switch {
	case err != nil:
		return err
	case answer.HandshakeRequired:
		cp.handshakeRequired(ctx, answer.Reason)
	case !answer.Accepted:
		return &ncl.RefusedError{Reason: ncl.Reason(answer.Reason)}
	default:
		cp.told = info
		cp.params.HealthTracker.UpdateSuccess()
	}
	return nil
}

func (cp *ControlPlane) handshakeRequired(ctx context.Context, reason string) {
	reason = ncl.Reason(reason)
	cp.logger.InfoContext(ctx, "the scheduler asks for a handshake", "reason", reason)
	cp.params.HealthTracker.requireHandshake(fmt.Errorf("%w: %s", ErrHandshakeRequired, reason))
}

// storeCheckpoint stores the last processed sequence unless it is already. While it fails, more messages
// would come again after a crash.
func (cp *ControlPlane) storeCheckpoint(ctx context.Context) error {
	ctx, cancel := deadline.WithTimeout(ctx, cp.cfg.Clock, cp.cfg.RequestTimeout)
	defer cancel()
	now := position{true, cp.params.IncomingSeqTracker.LastSequence()}
	if now == cp.checkpoint {
		return nil
	}
	if err := cp.cfg.Checkpointer.Checkpoint(ctx, cp.params.CheckpointName, now.sequence); err != nil {
		return fmt.Errorf("checkpoint %s: %w", cp.params.CheckpointName, err)
	}
	cp.checkpoint = now
	return nil
}

// sayGoodbye tells the scheduler that the node ends on purpose. When nobody hears it, the node is
// counted as lost a little later.
func (cp *ControlPlane) sayGoodbye(ctx context.Context, reason string) {
	_, err := ask[nclprotocol.ShutdownNoticeResponse](ctx, cp.cfg, cp.params.Requester, nclprotocol.ShutdownNoticeRequest{
		Reason:                reason,
		LastSchedulerSequence: cp.params.IncomingSeqTracker.LastSequence(),
	})
	if err != nil {
		cp.logger.WarnContext(ctx, "nobody heard the goodbye", "error", err)
	}
}
