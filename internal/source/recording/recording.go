// Package recording writes Events to a file and reads them again. docs/RECORDING.md describes the format. It limits
// what a recording may hold, as no recording is trusted.
//
// A Writer takes the Events of a Source, in the same order as a Store. A Reader is a Source that emits the same Events,
// so a Store fed with them has the same Snapshots. A Player is a Reader with a clock and a Store: it can be paused, and
// moved to any time.
//
// A recording consists of frames. Each frame can be read without the earlier ones: it begins with Events that bring a
// new Store to the state of that time. The end of a file may be missing, if the program was killed or the disk was
// full. Everything before that can be read.
//
// A Writer may be used from any goroutine, a Reader from several, and a Player from any. Time is data: the times of a
// recording are those of its Events, and the caller tells a Player the current time.
//
// A recording is not trusted. Before a line is decoded, its length and its lists are checked against limits. The memory
// that all Events together take in a Store has a budget (package budget).
//
// # The Player
//
// Replay needs the Store as of any time, with the ages of problems and the usual values of each GPU. These depend on
// all earlier Events. So a Player reads the recording once from its beginning, and keeps a fork of its Store
// (Store.Fork) at the beginning of frames. To move to a time it reads on from the nearest fork. A test compares all of
// its Snapshots, also after moves, with those of a Store that was fed live. Beyond the part that it has read, a Player
// shows the contents of a single frame (Player.Glance). app keeps the time that is shown. The screens know a ui.Tape,
// which takes orders from keys and reports the position.
//
// Ctrl-K, and --record of track --job and serve, record beside the Store: a separate goroutine writes, so a disk that
// hangs ends the recording and not the screens. However the program ends, the poller emits nothing after its context
// has ended: closing our own sessions is no news about a node, and a recording ends with the nodes as they were.
package recording

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Version is the version of the format. A new metric does not need a new version, since the header has the keys of all
// metrics. No release wrote an earlier version.
const Version = 4

// Header describes a recording. It is at the beginning of the file.
type Header struct {
	Version   int           `json:"nvnodetop_recording"`
	Program   string        `json:"program"`             // the version that wrote it
	Began     time.Time     `json:"began"`               // time of its beginning
	Poll      time.Duration `json:"poll_ns"`             // the polling interval of the nodes, in ns
	User      string        `json:"user"`                // user of the recording program
	Host      string        `json:"host"`                // host of the recording program
	Anonymous bool          `json:"anonymous,omitempty"` // names were replaced
	Columns   Columns       `json:"columns"`             // columns of packed numbers
}

// VersionError says that a recording has another version of the format.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	hint := "use a newer nvnodetop"
	if e.Version < Version {
		hint = "no release wrote an earlier one"
	}
	return fmt.Sprintf("it has version %d of the format, and this nvnodetop reads version %d: %s", e.Version, Version,
		hint)
}

// ErrNotRecording is returned for any other file.
var ErrNotRecording = errors.New("not a recording of nvnodetop")

const (
	// frameSpan is the time covered by a frame. To move to a time, the frame around it is read: half of it on average.
	frameSpan = time.Minute

	// flushSpan is the longest time that is missing from a recording if the program is killed.
	flushSpan = 10 * time.Second

	// maxLine is the longest line, in bytes. It must fit the jobs of a user with very many. Other lines have wire's
	// limit.
	maxLine = 8 * wire.MaxLine
)

// lastEvents are the last Events, which bring a new Store to what is known.
type lastEvents struct {
	discovery *cluster.Event
	nodes     map[string]*keptNode
	stacks    map[string]*cluster.Event // what the ranks of a job do, by job ID, while SLURM lists the job
	progress  map[string]*cluster.Event // how far the program of a job is, likewise
}

// keptNode has the last Events of a node, one of each kind, and the steps of the last attempt.
type keptNode struct {
	steps                          []*cluster.Event
	try, hello, report, pace, down *cluster.Event
}

func compareEvents(a, b *cluster.Event) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Stacks.Job, b.Stacks.Job))
}

func (k *lastEvents) take(e *cluster.Event) {
	switch {
	case e.Discovery != nil:
		k.discovery = e
		ended := func(id string, _ *cluster.Event) bool {
			return !slices.ContainsFunc(e.Discovery.Jobs, func(j cluster.Job) bool { return j.ID == id })
		}
		maps.DeleteFunc(k.stacks, ended)
		maps.DeleteFunc(k.progress, ended)
		return
	case e.Mark != nil: // each is in the file only once
		return
	case e.Stacks != nil:
		if k.stacks == nil {
			k.stacks = map[string]*cluster.Event{}
		}
		k.stacks[e.Stacks.Job] = e
		if len(k.stacks) > cluster.KeptStacks {
			oldest := slices.MinFunc(slices.Collect(maps.Values(k.stacks)), compareEvents)
			delete(k.stacks, oldest.Stacks.Job)
		}
		return
	case e.Progress != nil:
		if k.progress == nil {
			k.progress = map[string]*cluster.Event{}
		}
		k.progress[e.Progress.Job] = e
		return
	case e.Gone:
		delete(k.nodes, e.Node)
		return
	}
	if k.nodes == nil {
		k.nodes = map[string]*keptNode{}
	}
	n := k.nodes[e.Node]
	if n == nil {
		n = &keptNode{}
		k.nodes[e.Node] = n
	}
	switch {
	case e.Try != nil:
		n.try, n.steps, n.pace = e, nil, nil
	case e.Step != nil && len(n.steps) < maxSteps:
		n.steps = append(n.steps, e)
	case e.Hello != nil:
		n.hello, n.report = e, nil
	case e.Report != nil:
		n.report, n.down = e, nil
	case e.Pace != nil:
		n.pace = e
	case e.Down != nil:
		n.down = e
	}
}

// maxSteps limits how many steps of an attempt are kept.
const maxSteps = 64

// keptEvents returns the kept Events of a node, in the order in which they arrived.
func (n *keptNode) keptEvents() []*cluster.Event {
	all := append([]*cluster.Event{n.try, n.hello, n.report, n.pace, n.down}, n.steps...)
	all = slices.DeleteFunc(all, func(e *cluster.Event) bool { return e == nil })
	slices.SortStableFunc(all, func(a, b *cluster.Event) int { return a.At.Compare(b.At) })
	return all
}
