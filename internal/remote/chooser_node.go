package remote

import (
	"context"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// noDoor stands for no door.
const noDoor = -1

// nodeState is the state of one node. In a round, it goes through the doors until one reaches the node or none is left.
type nodeState struct {
	name string
	door int // door of this attempt, or of the next one
	home int // door that last reached the node

	counted int // the door for which the node counts as reached
	// an ssh that met a host key other than the known one; nil: none did, or a key has been accepted since
	changed *reach.Tried
	slow    int               // how often in a row the door of the last attempt failed with one of slowFaults
	away    *sshOutage        // nil: the node does not go through SLURM because of a refusal
	back    *recoveredSession // the session that the next attempt takes; nil: it opens one

	// The round so far.
	tried  []reach.Tried
	faults []curableFault // faults that other doors may cure
	poor   int            // door whose session was given up for a possibly better one; it is still better than none
}

func (o *Chooser) findNode(name string) *nodeState {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.nodes[name]
	if n == nil {
		n = &nodeState{name: name, counted: noDoor}
		n.resetRound(noDoor)
		o.nodes[name] = n
	}
	return n
}

// resetRound ends the round of a node. home is the first door of the next round.
func (n *nodeState) resetRound(home int) {
	*n = nodeState{name: n.name, door: home, home: home, counted: n.counted, poor: noDoor, changed: n.changed,
		away: n.away,
		slow: n.slow}
}

// curableFault is a failure that another door may cure.
type curableFault struct {
	kind DoorKind
	any  bool // another door of the same kind may cure it
}

// loginFaults are the classes that another ssh with other keys, known hosts or settings may cure, and so may any other
// door.
var loginFaults = []reach.Class{
	reach.ClassAuth, reach.ClassAdopt, reach.ClassDenied, reach.ClassHostKeyUnknown, reach.ClassUnknownHost,
	reach.ClassLocal, reach.ClassNoDoor,
}

// kindFaults are the classes that only a door of another kind may cure.
//
// A changed host key is such a class: only ssh meets a host that answers in the node's place. SLURM has its own keys,
// no secret of the user goes through a step, and data from a step is distrusted like data from any node. The user
// learns about the changed key in any case.
var kindFaults = []reach.Class{reach.ClassRefused, reach.ClassSlurm, reach.ClassSlurmTimeout, reach.ClassHostKeyChanged}

// deadFaults are the classes of a node that is down or hangs. A firewall looks the same, unless the door has reached
// other nodes.
var deadFaults = []reach.Class{reach.ClassTimeout, reach.ClassNoRoute, reach.ClassFrozen, reach.ClassLoginHangs,
	reach.ClassClosed}

// sessionFaults are the classes of a probe that cannot run in the sessions of a door. The installer has tried it twice.
// A step of SLURM has other limits, mounts and startup files than a session of sshd.
var sessionFaults = []reach.Class{reach.ClassLimit, reach.ClassNoExec, reach.ClassProbeFailed, reach.ClassProbeKilled}

// slowFaults are the classes of a login that may only be slow for the moment: the next door is tried when it has failed
// twice.
var slowFaults = []reach.Class{reach.ClassProbeLate, reach.ClassGarbage}

// faultOf returns the fault that a failure of the node's door amounts to. ok is false if no other door would fare
// better.
func (o *Chooser) faultOf(n *nodeState, f *reach.Failure) (_ curableFault, ok bool) {
	kind := o.doors[n.door].Kind
	inside := f.Stage == StageProbe || f.Stage == StageDriver
	switch {
	case slices.Contains(loginFaults, f.Class), f.Class == reach.ClassOther && !inside:
		return curableFault{kind: kind, any: true}, true
	case slices.Contains(kindFaults, f.Class), slices.Contains(deadFaults, f.Class) && !inside && !o.hasReached(n.door):
		return curableFault{kind: kind}, true
	case f.Stage == StageProbe && slices.Contains(sessionFaults, f.Class), f.Class == reach.ClassLimit,
		slices.Contains(slowFaults, f.Class) && n.slow >= 2:
		return curableFault{kind: kind}, true
	}
	return curableFault{}, false
}

// startRound starts a round with the door that last reached the node, if it still applies, and otherwise with the first
// door that applies.
func (o *Chooser) startRound(ctx context.Context, n *nodeState) {
	n.resetRound(n.home)
	if n.home == noDoor || o.doors[n.home].whyUnfit(ctx, n.name) != "" {
		o.nextDoor(ctx, n, func(*Candidate) bool { return true })
	}
}

// nextDoor moves n to the next door that helps, and returns false if there is none. It records the doors that do not
// apply.
func (o *Chooser) nextDoor(ctx context.Context, n *nodeState, helps func(*Candidate) bool) bool {
	n.door = noDoor
	for _, i := range o.doorOrder() {
		d := &o.doors[i]
		if n.hasTried(d.Name) || !helps(d) {
			continue
		}
		why := d.whyUnfit(ctx, n.name)
		if why == "" {
			n.door = i
			return true
		}
		if d.Kind != KindHere || len(o.doors) == 1 {
			n.tried = append(n.tried, reach.Tried{Door: d.Name, Class: reach.ClassNoDoor, Summary: why})
		}
	}
	return false
}

func (n *nodeState) hasTried(door string) bool {
	return slices.ContainsFunc(n.tried, func(t reach.Tried) bool { return t.Door == door })
}

// curedBy reports whether a door may cure one of the faults of the round. Another door of the kind that was given up
// would be no better.
func (o *Chooser) curedBy(n *nodeState, d *Candidate) bool {
	if n.poor != noDoor && d.Kind == o.doors[n.poor].Kind {
		return false
	}
	return slices.ContainsFunc(n.faults, func(f curableFault) bool { return f.any || f.kind != d.Kind })
}

// noteFailure records the failure of an attempt, and moves on to the next door if another one may help. It returns the
// failure together with the next step.
func (o *Chooser) noteFailure(ctx context.Context, n *nodeState, failure *reach.Failure) *reach.Failure {
	f := *failure
	if slices.Contains(slowFaults, f.Class) {
		n.slow++
	} else {
		n.slow = 0
	}
	fault, curable := o.faultOf(n, &f)
	if !curable && n.poor == noDoor && (f.Stage == StageProbe || f.Stage == StageDriver) {
		n.resetRound(n.door) // the door itself works
		return &f
	}
	n.noteAnswer(o.doors[n.door].Name, &f)
	if curable {
		n.faults = append(n.faults, fault)
	}
	if n.door == n.poor {
		n.poor = noDoor // even that door no longer works
	}
	switch {
	case len(n.faults) > 0 && o.nextDoor(ctx, n, func(d *Candidate) bool { return o.curedBy(n, d) }):
		f.Next = true
	case n.poor != noDoor:
		n.door, f.Next = n.poor, true
	}
	if len(n.faults) > 0 && len(n.tried) > 1 {
		f.Doors = slices.Clone(n.tried)
	}
	if !f.Next {
		n.resetRound(n.home)
	}
	return &f
}

// noteAnswer adds the answer of a door to the round.
func (n *nodeState) noteAnswer(door string, f *reach.Failure) {
	t := reach.Tried{Door: door, Class: f.Class, Summary: f.Summary()}
	if len(f.Hints) > 0 {
		t.Hint = f.Hints[0]
	}
	if f.Class == reach.ClassHostKeyChanged {
		n.changed = &t
	}
	n.tried = append(slices.DeleteFunc(n.tried, func(before reach.Tried) bool { return before.Door == door }), t)
}

// nothingFits returns the failure of a node to which no door applies.
func (o *Chooser) nothingFits(n *nodeState) *reach.Failure {
	f := &reach.Failure{
		Class: reach.ClassNoDoor, Short: "no transport applies",
		Meaning: "None of the transports applies to this node.", Hints: []string{"choose another one with --transport"},
	}
	switch tried := n.tried; len(tried) {
	case 0:
	case 1:
		f.Short, f.Cause = "transport "+tried[0].Door+" does not apply", tried[0].Summary
	default:
		f.Doors = slices.Clone(tried)
	}
	n.resetRound(n.home)
	return f
}
