package httpapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/access"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/store/tokens"
)

// draft is the body of a token to be made as it is read.
type draft struct {
	strictjson.Reader
	tokens.Draft
	named, given bool // it has a name, a role
}

// decodeDraft reads what a token is to be. The error wraps strictjson.ErrNotJSON, or is a fault.List.
func decodeDraft(body []byte) (tokens.Draft, error) {
	var d draft
	if err := d.Document(body, d.member); err != nil {
		return tokens.Draft{}, err
	}
	if len(d.Faults) == 0 || d.Faults[0].Path != fault.Root {
		if !d.named {
			d.Faults.Add("$.name", "is missing")
		}
		if !d.given {
			d.Faults.Add("$.role", "is missing: %s", strings.Join(access.Roles(), ", "))
		}
	}
	return d.Draft, d.Faults.Err()
}

func (d *draft) member(name []byte, value jsontext.Value) {
	switch string(name) {
	case "name":
		d.Name, d.named = identifier(&d.Reader, "$.name", value), true
	case "role":
		d.given = true
		if text, ok := d.Text("$.role", value); ok {
			var err error
			if d.Role, err = access.ParseRole(text); err != nil {
				d.Faults.Add("$.role", "must be one of %s", strings.Join(access.Roles(), ", "))
			}
		}
	case "groups":
		d.List("$.groups", value, func(path string, value jsontext.Value) {
			d.Groups = append(d.Groups, identifier(&d.Reader, path, value))
		})
		if len(d.Groups) > tokens.MaxGroups {
			d.Faults.Add("$.groups", "may have %d", tokens.MaxGroups)
		}
	case "ttl_s":
		d.TTL = d.life(value)
	default:
		d.Unknown(fault.Root, name)
	}
}

// life is a whole number of seconds, as NATS ends values.
func (d *draft) life(value jsontext.Value) time.Duration {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if most := int64(tokens.MaxTTL / time.Second); err != nil || n < 1 || n > most {
		d.Faults.Add("$.ttl_s", "must be a whole number from 1 to %d", most)
		return 0
	}
	return time.Duration(n) * time.Second
}
