package nclprotocol

import (
	"strconv"
	"strings"
	"time"

	"oc-scheduler/store/timetext"
)

// Seconds is a duration that is a number of seconds in JSON, exact to the nanosecond.
type Seconds time.Duration

// Duration is s as Go knows it.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }

// MarshalJSON writes a number.
func (s Seconds) MarshalJSON() ([]byte, error) {
	whole, part := s.Duration()/time.Second, s.Duration()%time.Second
	if part == 0 {
		return strconv.AppendInt(nil, int64(whole), 10), nil
	}
	sign := ""
	if s < 0 {
		sign, whole, part = "-", -whole, -part
	}
	nanoseconds := strconv.FormatInt(int64(time.Second+part), 10)[1:] // with the zeros before it
	return []byte(sign + strconv.FormatInt(int64(whole), 10) + "." + strings.TrimRight(nanoseconds, "0")), nil
}

// UnmarshalJSON reads a number. It fails for what no duration holds.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	if string(data) == "null" { // as encoding/json has it
		return nil
	}
	d, err := timetext.Seconds(string(data))
	if err != nil {
		return err
	}
	*s = Seconds(d)
	return nil
}
