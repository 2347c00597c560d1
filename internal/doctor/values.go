package doctor

import (
	"context"
	"fmt"

	"oc-scheduler/store"
)

// values looks for what stands in the buckets and cannot be read.
func (e *exam) values(ctx context.Context) {
	total, standing, broken := 0, 0, []string(nil)
	var keys []string
	for examined, err := range store.Examine(ctx, e.js, func(stream string) bool { return e.streams[stream] != nil }) {
		if err != nil {
			e.unreadable(err)
			return
		}
		total, standing = total+examined.Values, standing+1
		for _, fault := range examined.Faults {
			broken = append(broken, fmt.Sprintf("%s %s: %v", examined.Bucket, fault.Key, fault.Err))
			keys = append(keys, examined.Bucket+" "+fault.Key)
		}
	}
	if len(broken) > 0 {
		e.warn(fmt.Sprintf("%s that cannot be read and count as absent: %s", counted(len(broken), "value"), some(broken)),
			e.each("kv get", keys, "--raw")+" shows it; write it anew, or "+e.each("kv del", keys, "-f"))
		return
	}
	e.ok("%s in %s, all readable", counted(total, "value"), counted(standing, "bucket"))
}
