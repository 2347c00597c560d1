// Package depstmp keeps dependencies that are about to be used.
package depstmp

import (
	_ "github.com/jonboulle/clockwork"
	_ "github.com/synadia-io/orbit.go/jetstreamext"
	_ "go.etcd.io/bbolt"
	_ "go.yaml.in/yaml/v4"
	_ "golang.org/x/time/rate"
)
