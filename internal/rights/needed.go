package rights

import (
	"slices"
	"strings"

	"oc-scheduler/events"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// Nobody is the name of no peer, node or consumer: rights are tried with it where one is free.
const Nobody = "oc-scheduler-doctor"

// Right is one that a replica's user needs.
type Right struct {
	Subject   string // to be permitted
	Subscribe bool   // else to publish on it
	// Spare says that a replica does without it while all that it keeps on the server stands.
	Spare bool

	tried string
}

// imported begins the subjects of answers to nodes that have accounts of their own.
const imported = "_R_."

// readsDead is for showing dead letters.
const readsDead = "$JS.API.STREAM.MSG.GET." + events.DeadStream

// Covering are subjects on which a user may publish who has all rights to publish of Needed.
const Covering = "PROPALGATION_EVENT, CREATE_RESOURCE, REMOVE_RESOURCE, oc.dead.>, oc.history.>, oc.compute.*.in.msgs, oc.compute.*.logs, oc.cursor.*, $KV.>, $JS.API.>, $JS.ACK.>, _INBOX.>, _R_.>"

// CoveringSubscribe is Covering for the rights to subscribe.
const CoveringSubscribe = "oc.compute.>, _INBOX.>"

// Needed lists all rights of a replica: those to subscribe come first.
func Needed() []Right {
	var all []Right
	for _, subject := range []string{"_INBOX." + Nobody, nclprotocol.AllControl, nclprotocol.LogStreamSubject(Nobody, Nobody)} {
		all = append(all, right(subject, true))
	}
	for _, subject := range slices.Concat(published(), orchestrator.Publishes(Nobody), []string{imported + Nobody}) {
		all = append(all, right(subject, false))
	}
	return all
}

// right is shown as what would have to be permitted for any name in place of Nobody's.
func right(subject string, subscribe bool) Right {
	shown := subject
	if of, last := strings.CutSuffix(shown, "."+Nobody); last {
		shown = of + ".>"
	}
	return Right{
		Subject: strings.ReplaceAll(shown, Nobody, "*"), Subscribe: subscribe, Spare: !subscribe && spare(subject), tried: subject,
	}
}

// spare says whether a subject is for making what is missing, for changing what is of an older layout, for saying who has made something else
// instead, for finding out that a stream takes no writes, or for tidying up, which the server does by itself later; or
// for nodes with accounts of their own, of which there may be none, or for showing dead letters.
func spare(subject string) bool {
	if strings.HasPrefix(subject, imported) || subject == readsDead {
		return true
	}
	request, ok := strings.CutPrefix(subject, "$JS.API.")
	if !ok {
		return false
	}
	return strings.HasPrefix(request, "STREAM.CREATE.") || strings.HasPrefix(request, "STREAM.UPDATE.") || strings.HasPrefix(request, "STREAM.NAMES") ||
		strings.HasPrefix(request, "CONSUMER.DELETE.") || looks(subject) || durable(request)
}

// looks says whether a subject is for removing messages from a stream that keeps all: for a look at whether
// it takes writes.
func looks(subject string) bool {
	stream, ok := strings.CutPrefix(subject, "$JS.API.STREAM.MSG.DELETE.")
	return ok && stream != nclprotocol.InStream
}

// durable says whether a request is for making a consumer that all replicas share.
func durable(request string) bool {
	return strings.HasPrefix(request, "CONSUMER.CREATE.") && !strings.Contains(request, Nobody)
}

func published() []string {
	subjects := []string{events.Propagation, events.CreateResource, events.RemoveResource, "$JS.API.STREAM.NAMES"}
	subjects = append(subjects, histories.Publishes(Nobody)...)
	for _, subject := range []string{events.Propagation, events.CreateResource, events.RemoveResource} {
		subjects = append(subjects, "oc.dead."+subject)
	}
	for _, bucket := range store.Expect(1) {
		name, keys := bucket.Stream.Name, bucket.Stream.Subjects[0] // ends with >
		key := strings.TrimSuffix(keys, ">") + Nobody
		subjects = append(subjects, key,
			"$JS.API.CONSUMER.CREATE."+name+"."+Nobody+"."+keys, "$JS.API.CONSUMER.DELETE."+name+"."+Nobody,
			"$JS.API.CONSUMER.MSG.NEXT."+name+"."+Nobody, "$JS.API.CONSUMER.INFO."+name+"."+Nobody,
			"$JS.API.DIRECT.GET."+name+"."+key, "$JS.API.STREAM.MSG.GET."+name)
	}
	subjects = append(subjects, readsDead)
	for _, x := range slices.Concat(events.Expect(1), orchestrator.Expect(1), histories.Expect(1)) {
		if subject := "$JS.API.STREAM.MSG.DELETE." + x.Stream.Name; looks(subject) {
			subjects = append(subjects, subject)
		}
	}
	for _, x := range slices.Concat(store.Expect(1), events.Expect(1), orchestrator.Expect(1), histories.Expect(1)) {
		name := x.Stream.Name
		subjects = append(subjects, "$JS.API.STREAM.INFO."+name, "$JS.API.STREAM.CREATE."+name, "$JS.API.STREAM.UPDATE."+name)
		for _, of := range x.Durables {
			durable := name + "." + of.Durable
			subjects = append(subjects, "$JS.API.CONSUMER.CREATE."+durable, "$JS.API.CONSUMER.INFO."+durable,
				"$JS.API.CONSUMER.MSG.NEXT."+durable, "$JS.ACK."+durable+"."+Nobody)
		}
	}
	return subjects
}
