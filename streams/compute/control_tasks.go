package compute

import (
	"context"
	"fmt"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/nclprotocol"
)

// position is a sequence that was stored, or none yet.
type position struct {
	stored   bool
	sequence uint64
}

func (cp *ControlPlane) heartbeat(ctx context.Context) {
	info := tell(ctx, cp.cfg)
	answer, err := ask[nclprotocol.HeartbeatResponse](ctx, cp.cfg, cp.params.Requester, nclprotocol.HeartbeatRequest{
		Free:                  info.Free,
		Queued:                info.Queued,
		LastSchedulerSequence: cp.params.IncomingSeqTracker.LastSequence(),
	})
	switch {
	case ctx.Err() != nil: // Stop was faster
	case err != nil:
		cp.logger.WarnContext(ctx, "heartbeat failed", "error", err)
	case answer.HandshakeRequired:
		cp.logger.InfoContext(ctx, "the scheduler asks for a handshake", "reason", answer.Reason)
		cp.params.HealthTracker.HandshakeRequired()
	default:
		cp.params.HealthTracker.HeartbeatSuccess()
	}
}

// updateNodeInfo tells what changed, again and again until it is accepted.
func (cp *ControlPlane) updateNodeInfo(ctx context.Context) {
	info := tell(ctx, cp.cfg)
	if info.Equal(cp.told) {
		return
	}
	answer, err := ask[nclprotocol.UpdateNodeInfoResponse](ctx, cp.cfg, cp.params.Requester, nclprotocol.UpdateNodeInfoRequest{NodeInfo: info})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		cp.logger.WarnContext(ctx, "update of node info failed", "error", err)
	case answer.HandshakeRequired:
		cp.logger.InfoContext(ctx, "the scheduler asks for a handshake", "reason", answer.Reason)
		cp.params.HealthTracker.HandshakeRequired()
	case !answer.Accepted:
		cp.logger.WarnContext(ctx, "node info was refused", "reason", answer.Reason)
	default:
		cp.told = info
		cp.params.HealthTracker.UpdateSuccess()
	}
}

func (cp *ControlPlane) tryCheckpoint(ctx context.Context) {
	if err := cp.storeCheckpoint(ctx); err != nil && ctx.Err() == nil {
		cp.logger.ErrorContext(ctx, "checkpoint failed: after a crash, more messages come again", "error", err)
	}
}

// storeCheckpoint stores the last processed sequence unless it is already.
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
