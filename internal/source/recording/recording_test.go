package recording

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/test/same"
)

const poll = 3 * time.Second

// story returns the Events of the demo.
func story(t *testing.T, nodes, gpus int, past, length time.Duration) (events []cluster.Event) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := demo.New(nodes, gpus, 1, poll, past)
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		time.AfterFunc(length/3, func() { d.Look(cluster.EveryNode, true) })
		time.AfterFunc(length/2, func() { d.Look("", false) })
		if err := d.Run(ctx, func(e cluster.Event) { events = append(events, e) }); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return events
}

// recorded returns the file of Events.
func recorded(t testing.TB, h Header, events []cluster.Event) []byte {
	t.Helper()
	var file bytes.Buffer
	h.Poll = poll
	w := NewWriter(h)
	if err := w.Begin(&file, events[0].At); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func opened(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := Open(context.Background(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newStore() *store.Store { return store.New(poll, health.Rules(health.Defaults())) }

// snapshots are the Snapshots of a Store that is fed live, one per interval.
func snapshots(events []cluster.Event) (list []*cluster.Snapshot) {
	store := newStore()
	at := events[0].At
	for _, e := range events {
		for ; e.At.After(at); at = at.Add(poll) {
			list = append(list, store.Snapshot(at))
		}
		store.Apply(e)
	}
	return list
}

// A recording shows the live state, from its beginning on and after each move in it.
func TestPlayedAsSeen(t *testing.T) {
	t.Parallel()
	events := story(t, 1, 4, time.Minute, 6*time.Minute)
	seen := snapshots(events)
	r := opened(t, recorded(t, Header{}, events))
	if len(r.Frames) < 4 || r.Cut {
		t.Fatalf("%d frames, cut: %t", len(r.Frames), r.Cut)
	}
	p := NewPlayer(r, newStore())
	defer p.Close()
	for i := 0; i < len(seen); i += 12 {
		want := seen[i]
		if diff := cmp.Diff(want, p.Snapshot(context.Background(), want.At), same.State); diff != "" {
			t.Fatalf("played at %v:\n%.4000s", want.At.Sub(seen[0].At), diff)
		}
	}
	for range 6 {
		want := seen[rand.IntN(len(seen))]
		if diff := cmp.Diff(want, p.Snapshot(context.Background(), want.At), same.State); diff != "" {
			t.Fatalf("after a move to %v:\n%.4000s", want.At.Sub(seen[0].At), diff)
		}
	}
	if p.Err() != nil {
		t.Error(p.Err())
	}
}

// A Player that has read the whole recording in advance shows the same.
func TestSurvey(t *testing.T) {
	events := story(t, 2, 4, 0, 8*time.Minute)
	seen := snapshots(events)
	p := NewPlayer(opened(t, recorded(t, Header{}, events)), newStore())
	p.Survey(t.Context())
	for i, mark := range p.marks {
		if mark == nil {
			t.Errorf("frame %d has not been reached", i)
		}
	}
	for _, i := range []int{len(seen) - 1, 10, len(seen) / 2} {
		if diff := cmp.Diff(seen[i], p.Snapshot(context.Background(), seen[i].At), same.State); diff != "" {
			t.Errorf("%d of %d:\n%.4000s", i, len(seen), diff)
		}
	}
}

// A Reader is a Source of the same Events.
func TestRead(t *testing.T) {
	events := story(t, 3, 4, time.Minute, 5*time.Minute)
	r := opened(t, recorded(t, Header{Program: "1.2", User: "alice", Host: "login1"}, events))
	if r.Header.Version != Version || r.Header.Poll != poll || r.Header.User != "alice" ||
		!r.Began().Equal(events[0].At) {
		t.Errorf("header %+v", r.Header)
	}
	got := read(t, r)
	if diff := cmp.Diff(events, got, same.State); diff != "" {
		t.Errorf("%d and %d events:\n%.4000s", len(events), len(got), diff)
	}
}

func read(t *testing.T, r *Reader) (got []cluster.Event) {
	t.Helper()
	if err := r.Run(t.Context(), func(e cluster.Event) { got = append(got, e) }); err != nil {
		t.Errorf("Run: %v", err)
	}
	return got
}

// A frame alone tells a new Store everything known at its beginning.
func TestFrameBeginsWithWhatIsKnown(t *testing.T) {
	events := story(t, 3, 4, time.Minute, 5*time.Minute)
	r := opened(t, recorded(t, Header{}, events))
	from := r.Frames[len(r.Frames)-1].At
	live, late := newStore(), newStore()
	for _, e := range events {
		if e.At.Before(from) {
			live.Apply(e)
		}
	}
	s := r.eventsFrom(t.Context(), len(r.Frames)-1)
	defer s.closeStream()
	for {
		e, _, err := s.nextEvent()
		if err != nil || !e.At.Before(from) {
			break
		}
		late.Apply(e)
	}
	want, got := live.Snapshot(from), late.Snapshot(from)
	if diff := cmp.Diff(want.Discovery, got.Discovery, same.State); diff != "" {
		t.Error(diff)
	}
	for name, n := range want.Nodes {
		o := got.Nodes[name]
		if o == nil || n.State != o.State || !n.Arrived.Equal(o.Arrived) || len(n.GPUs) != len(o.GPUs) ||
			!cmp.Equal(n.Host, o.Host, same.State) {
			t.Errorf("%s: %v %v, %d GPUs; want %v %v, %d", name, o.State, o.Arrived, len(o.GPUs), n.State, n.Arrived,
				len(n.GPUs))
			continue
		}
		for i := range n.GPUs {
			if n.GPUs[i].Values != o.GPUs[i].Values {
				t.Errorf("%s GPU%d differs", name, i)
			}
		}
	}
}

// A later recording, in another file, has the earlier state.
func TestBeginLater(t *testing.T) {
	events := story(t, 2, 4, time.Minute, 3*time.Minute)
	w := NewWriter(Header{Poll: poll})
	var file bytes.Buffer
	for i, e := range events {
		if i == len(events)/2 {
			if err := w.Begin(&file, e.At); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(opened(t, file.Bytes()), newStore())
	last := events[len(events)-1].At
	snap := p.Snapshot(context.Background(), last)
	reporting := 0
	for _, n := range snap.Nodes {
		if n.State == cluster.NodeReporting && len(n.GPUs) == 4 {
			reporting++
		}
	}
	if reporting < 2 || len(snap.Jobs) < 2 {
		t.Errorf("%d nodes report, %d jobs", reporting, len(snap.Jobs))
	}
}

// failing is a disk that is full after n bytes.
type failing struct {
	bytes.Buffer
	n int
}

func (f *failing) Write(p []byte) (int, error) {
	if room := f.n - f.Len(); len(p) > room {
		f.Buffer.Write(p[:max(room, 0)])
		return max(room, 0), io.ErrShortWrite
	}
	return f.Buffer.Write(p)
}

// A mark comes back as it was.
func TestMarksAreRecorded(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	mark := cluster.Mark{Job: "7", Name: "epoch 1", Kind: cluster.Begins, At: at.Add(-time.Second).UTC(), By: "n1/0"}
	file := recorded(t, Header{}, []cluster.Event{{At: at, Node: "n1", Try: &cluster.Try{}}, {At: at, Mark: &mark}})
	r, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var got []cluster.Mark
	if err := r.Run(t.Context(), func(e cluster.Event) {
		if e.Mark != nil {
			got = append(got, *e.Mark)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !got[0].Arrived.Equal(at) {
		t.Fatalf("%+v, want %+v", got, mark)
	}
	if got[0].Arrived = (time.Time{}); got[0] != mark {
		t.Errorf("%+v, want %+v", got[0], mark)
	}
}
