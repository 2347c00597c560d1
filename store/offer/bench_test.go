package offer_test

import (
	"fmt"
	"testing"

	"oc-scheduler/store/offer"
)

// BenchmarkCompose: a site of 1,000 nodes, of one instance with ten bookings each.
func BenchmarkCompose(b *testing.B) {
	offers := map[string]*offer.Offer{}
	for n := range 1000 {
		offers[fmt.Sprintf("node-%04d", n)] = decode(b, many(n, 1, 10))
	}
	b.ReportAllocs()
	for b.Loop() {
		compose(b, offers)
	}
}

// BenchmarkDecode reads the offer of such a node.
func BenchmarkDecode(b *testing.B) {
	data := many(0, 1, 10)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		decode(b, data)
	}
}
