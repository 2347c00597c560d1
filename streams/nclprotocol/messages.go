package nclprotocol

import (
	"time"

	"oc-scheduler/streams/envelope"
)

// Names of control messages, all of them requests on ControlSubject or answers to one.
const (
	TypeHandshakeRequest       = "HandshakeRequest"
	TypeHandshakeResponse      = "HandshakeResponse"
	TypeHeartbeatRequest       = "HeartbeatRequest"
	TypeHeartbeatResponse      = "HeartbeatResponse"
	TypeUpdateNodeInfoRequest  = "UpdateNodeInfoRequest"
	TypeUpdateNodeInfoResponse = "UpdateNodeInfoResponse"
	TypeOfferRequest           = "OfferRequest"
	TypeOfferResponse          = "OfferResponse"
	TypeShutdownNoticeRequest  = "ShutdownNoticeRequest"
	TypeShutdownNoticeResponse = "ShutdownNoticeResponse"
)

// HandshakeRequest opens a session. A session is one life of a connection; its name is the Source of
// the control messages that follow, and their Sequence counts them.
type HandshakeRequest struct {
	Session  string    `json:"session"` // unique, chosen by the node
	NodeInfo NodeInfo  `json:"node_info"`
	Started  time.Time `json:"started_at"` // of the node's program
	// HeartbeatInterval × HeartbeatMissFactor without a heartbeat, and the node counts as lost.
	HeartbeatInterval   Seconds `json:"heartbeat_interval_s"`
	HeartbeatMissFactor int     `json:"heartbeat_miss_factor"`
	// LastSchedulerSequence is the last message of InStream that the node has processed; 0: none that it
	// knows of.
	LastSchedulerSequence uint64 `json:"last_scheduler_sequence"`
	// Ledger names the numbering of the node's events; NewestSequence is the last one given.
	Ledger         string `json:"ledger"`
	NewestSequence uint64 `json:"newest_sequence"`
}

// HandshakeResponse accepts or refuses a node.
type HandshakeResponse struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"` // why not
	// RetryAfter is when a refused node may ask again, for it may be let in soon; 0: whenever it likes.
	RetryAfter Seconds `json:"retry_after_s,omitempty"`
	// NewLedger says that the ledger was restored from a copy: with it the node is refused for ever, under another
	// name it may go on.
	NewLedger bool `json:"new_ledger,omitempty"`
	// LastNodeSequence is the last event of the ledger that the scheduler has; the node sends those after it.
	LastNodeSequence uint64 `json:"last_node_sequence"`
	// StartSchedulerSequence is where in InStream the node goes on, whatever it remembers.
	StartSchedulerSequence uint64 `json:"start_scheduler_sequence"`
}

// HeartbeatRequest says that a node lives.
type HeartbeatRequest struct {
	Free                  Amounts `json:"free,omitempty"`
	Queued                Amounts `json:"queued,omitempty"`
	LastSchedulerSequence uint64  `json:"last_scheduler_sequence"`
}

// HeartbeatResponse says that the scheduler does.
type HeartbeatResponse struct {
	// HandshakeRequired asks for a new session: this one is not known (any more), or events are missing.
	HandshakeRequired bool   `json:"handshake_required,omitempty"`
	Reason            string `json:"reason,omitempty"`
	// OfferRequired asks a node that tells offers to tell its offer again: the scheduler lacks it.
	OfferRequired    bool   `json:"offer_required,omitempty"`
	LastNodeSequence uint64 `json:"last_node_sequence"`
}

// UpdateNodeInfoRequest tells what has changed about a node.
type UpdateNodeInfoRequest struct {
	NodeInfo NodeInfo `json:"node_info"`
}

// UpdateNodeInfoResponse accepts or refuses that.
type UpdateNodeInfoResponse struct {
	Accepted          bool   `json:"accepted"`
	HandshakeRequired bool   `json:"handshake_required,omitempty"`
	Reason            string `json:"reason,omitempty"`
}

// ShutdownNoticeRequest is a node's goodbye: it ends on purpose and may be counted as gone at once.
type ShutdownNoticeRequest struct {
	Reason                string `json:"reason,omitempty"`
	LastSchedulerSequence uint64 `json:"last_scheduler_sequence"`
}

// ShutdownNoticeResponse says that it was heard.
type ShutdownNoticeResponse struct {
	LastNodeSequence uint64 `json:"last_node_sequence"`
}

// RegisterControl makes the control messages known to a registry.
func RegisterControl(r *envelope.Registry) error {
	for name, payload := range map[string]any{
		TypeHandshakeRequest:       HandshakeRequest{},
		TypeHandshakeResponse:      HandshakeResponse{},
		TypeHeartbeatRequest:       HeartbeatRequest{},
		TypeHeartbeatResponse:      HeartbeatResponse{},
		TypeUpdateNodeInfoRequest:  UpdateNodeInfoRequest{},
		TypeUpdateNodeInfoResponse: UpdateNodeInfoResponse{},
		TypeOfferRequest:           OfferRequest{},
		TypeOfferResponse:          OfferResponse{},
		TypeShutdownNoticeRequest:  ShutdownNoticeRequest{},
		TypeShutdownNoticeResponse: ShutdownNoticeResponse{},
	} {
		if err := r.Register(name, payload); err != nil {
			return err
		}
	}
	return nil
}
