package calendar_test

import (
	"errors"
	"testing"
	"time"

	"oc-scheduler/store/calendar"
)

func BenchmarkNext(b *testing.B) {
	for _, text := range []string{"30 2 * * *", "*/5 * * * *", "0 9-17 * * 1-5", "0 0 31 12 *", "0 0 29 2 *"} {
		b.Run(text, func(b *testing.B) {
			s := calendar.Schedule{Cron: cron(b, text), Zone: zone(b, "Europe/Paris")}
			from := time.Date(2026, 1, 1, 0, 0, 0, 1, time.UTC)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := s.Next(from.Add(time.Duration(i%366) * aDay))
				if err != nil && !errors.Is(err, calendar.ErrNever) {
					b.Fatal(err)
				}
			}
		})
	}
}

// Benchmark256 lists what is booked ahead at most.
func Benchmark256(b *testing.B) {
	s := calendar.Schedule{Cron: cron(b, "*/5 * * * *"), Zone: zone(b, "Europe/Paris")}
	from := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range s.From(from) {
			if n++; n == 256 {
				break
			}
		}
	}
}

func BenchmarkParseCron(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		cron(b, "0 9-17 * JAN-MAR 1-5")
	}
}

func BenchmarkZone(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		zone(b, "Europe/Paris")
	}
}
