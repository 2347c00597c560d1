package plan

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// BenchmarkGuard compares two ways to keep two bookings from taking the same of an instance: a batch that replaces its
// head, and one message that asserts the last of all bookings there. What came of it: doc.go.
func BenchmarkGuard(b *testing.B) {
	for replicas, connect := range map[int]func() *nats.Conn{
		1: func() *nats.Conn { return natstest.Start(b).Connect(b) },
		3: func() *nats.Conn { return natstest.StartCluster(b, 3).Connect(b) },
	} {
		b.Run(fmt.Sprintf("R%d", replicas), func(b *testing.B) {
			p := openOn(b, connect(), replicas)
			b.Run("head", func(b *testing.B) {
				head := uint64(0)
				for i := 0; b.Loop(); i++ {
					batch := p.Stream().NewBatch()
					err := batch.SetAt(p.bookings, kv.KeyOf("p", "r", "head", fmt.Sprintf("%d-%d", b.N, i)), 0, &kv.Write{Data: make([]byte, 330)})
					if err == nil {
						err = batch.SetAt(p.heads, kv.KeyOf("p", "r", "head"), head, &kv.Write{Data: make([]byte, 40)})
					}
					if err == nil {
						head, err = batch.Commit(b.Context())
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("wildcard", func(b *testing.B) {
				last := uint64(0)
				for i := 0; b.Loop(); i++ {
					m := nats.NewMsg(Bookings.Prefix + fmt.Sprintf("p.r.wild.%d-%d", b.N, i))
					m.Data = make([]byte, 330)
					m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(last, 10))
					m.Header.Set(jetstream.ExpectedLastSubjSeqSubjHeader, Bookings.Prefix+"p.r.wild.>")
					ack, err := p.Stream().JetStream().PublishMsg(b.Context(), m)
					if err != nil {
						b.Fatal(err)
					}
					last = ack.Sequence
				}
			})
		})
	}
}
