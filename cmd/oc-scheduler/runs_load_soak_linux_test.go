//go:build soak

package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// many runs fall due within so long, on so many nodes.
const (
	many, manyOver = 1000, 10 * time.Second
	manyNodes      = 20
)

// soakLoad is three replicas on three NATS nodes, with all booked that falls due from a time on.
func soakLoad(t *testing.T, ahead time.Duration) (l *load, cluster *natstest.Cluster, from time.Time) {
	t.Helper()
	cluster = natstest.StartProcesses(t, 3)
	l = newLoad(t, cluster.URLs(), 3, 3, manyNodes)
	from = time.Now().Add(ahead)
	l.book(t, many, from, manyOver)
	t.Logf("%d are booked, %v before the first one is due", many, time.Until(from).Round(time.Second))
	return l, cluster, from
}

// TestSoakRuns starts a thousand runs on time, or once that is possible again: each exactly once.
func TestSoakRuns(t *testing.T) {
	for name, fault := range map[string]func(*testing.T, *load, *natstest.Cluster, time.Time){
		"quiet":                     nothingHappens,
		"replicas and a leader die": replicasAndALeaderDie,
		"replicas sleep":            replicasSleep,
		"the fleet was down":        theFleetWasDown,
		"NATS was down":             natsWasDown,
	} {
		t.Run(name, func(t *testing.T) {
			l, cluster, from := soakLoad(t, 90*time.Second)
			fault(t, l, cluster, from)
			before := spentByNow(t)
			tellLateness(t, name, l.ended(t, many))
			if name == "quiet" {
				tellCost(t, before, many)
			}
			l.audit(t, many)
		})
	}
}

// nothingHappens until the first one is due.
func nothingHappens(_ *testing.T, _ *load, _ *natstest.Cluster, from time.Time) {
	time.Sleep(time.Until(from))
}

// replicasAndALeaderDie kills replicas at random while runs fall due, and the NATS node that leads the plan once.
func replicasAndALeaderDie(t *testing.T, l *load, cluster *natstest.Cluster, from time.Time) {
	t.Helper()
	led := time.Now().After(from)
	for time.Now().Before(from.Add(manyOver)) {
		time.Sleep(time.Until(from))
		victim := rand.IntN(len(l.replicas))
		l.kill(victim)
		if !led && time.Now().After(from.Add(manyOver/3)) {
			leader := cluster.StreamLeader(t, "KV_plan")
			leader.Kill()
			defer leader.Restart(t)
			led = true
		}
		time.Sleep(time.Duration(rand.Int64N(int64(time.Second))))
		l.start(t, victim)
	}
}

// replicasSleep one after the other, longer than what they have in hand is waited for, and go on with it then.
func replicasSleep(t *testing.T, l *load, _ *natstest.Cluster, from time.Time) {
	t.Helper()
	time.Sleep(time.Until(from))
	for time.Now().Before(from.Add(manyOver)) {
		victim := l.replicas[rand.IntN(len(l.replicas))]
		if err := victim.Pause(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(kv.WorkAckWait + time.Duration(rand.Int64N(int64(2*time.Second))))
		if err := victim.Resume(); err != nil {
			t.Fatal(err)
		}
	}
}

// theFleetWasDown while all fell due.
func theFleetWasDown(t *testing.T, l *load, _ *natstest.Cluster, from time.Time) {
	t.Helper()
	time.Sleep(time.Until(from.Add(-time.Second)))
	for i := range l.replicas {
		l.kill(i)
	}
	time.Sleep(time.Until(from.Add(manyOver + 5*time.Second)))
	for i := range l.replicas {
		l.start(t, i)
	}
}

// natsWasDown while all fell due.
func natsWasDown(t *testing.T, _ *load, cluster *natstest.Cluster, from time.Time) {
	t.Helper()
	time.Sleep(time.Until(from.Add(-time.Second)))
	for _, s := range cluster.Servers {
		s.Kill()
	}
	time.Sleep(time.Until(from.Add(manyOver + 5*time.Second)))
	for _, s := range cluster.Servers {
		s.Restart(t)
	}
}
