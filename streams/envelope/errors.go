package envelope

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged says that a frame is too short, that its checksum differs or that its header can't be read.
	ErrDamaged = errors.New("damaged message")
	// ErrTooLarge says that a message exceeds the serializer's limit.
	ErrTooLarge = errors.New("message too large")
	// ErrPayload says that a payload is not what its type says.
	ErrPayload = errors.New("payload does not fit its type")
)

// VersionError says that a frame is of a version that this program does not speak.
type VersionError struct{ Version byte }

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("unknown message version %d: this side speaks version %d", e.Version, Version)
}

// TypeError says that a message is of a type that is not registered.
type TypeError struct{ Type string }

// Error names the type.
func (e *TypeError) Error() string { return fmt.Sprintf("unknown message type %q", e.Type) }
