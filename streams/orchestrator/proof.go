package orchestrator

import (
	"fmt"
	"strings"
)

// unproven says why a node may not speak for a peer; empty: it may, or it speaks for none.
func (c *control) unproven(nodeID, peerID string) string {
	if !c.proven || peerID == "" || nodeID == peerID || strings.HasPrefix(nodeID, peerID+".") {
		return ""
	}
	return fmt.Sprintf("a node of peer %q is named like it, or has its name and a dot before its own: %q proves nothing", peerID, nodeID)
}
