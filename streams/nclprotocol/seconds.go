package nclprotocol

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Seconds is a duration that is a number of seconds in JSON.
type Seconds time.Duration

// Duration is s as Go knows it.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }

// MarshalJSON writes a number.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(s.Duration().Seconds()) }

// UnmarshalJSON reads a number. It fails for what no duration holds.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	ns := math.Round(f * float64(time.Second))
	if math.Abs(ns) >= math.MaxInt64 {
		return fmt.Errorf("%v seconds are no duration", f)
	}
	*s = Seconds(ns)
	return nil
}
