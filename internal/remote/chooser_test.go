package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// doorSite is a set of doors whose answers the test sets.
type doorSite struct {
	t       *testing.T
	answers map[string]*reach.Failure // by "door node" or "door"; nil: the node is reached
	unfit   map[string]string         // by "door node" or "door"
	hello   wire.Hello
	open    int // sessions
	won     []string

	last  poller.Session // of a detour, which began then
	began time.Time
	tries []int           // of ssh since then, in minutes
	hangs bool            // ssh does not answer
	tried int             // attempts that wait for it
	watch context.Context // of attempts; nil: the test's
	*Chooser
}

type fakeOpener struct {
	s    *doorSite
	door string
}

func (o fakeOpener) Route(context.Context, string) reach.Route {
	return reach.Route{Stages: []reach.Stage{reach.Stage(o.door)}}
}

func (o fakeOpener) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if o.door == "ssh" {
		o.s.tries = append(o.s.tries, int(time.Since(o.s.began).Minutes()))
		if o.s.hangs {
			o.s.tried++
			<-ctx.Done()
			o.s.tried--
			return nil, ctx.Err()
		}
		step(reach.Step{})
	}
	for _, key := range []string{o.door + " " + node, o.door} {
		if f := o.s.answers[key]; f != nil {
			return nil, f
		}
	}
	o.s.open++
	return &fakeSession{s: o.s}, nil
}

type fakeSession struct {
	s    *doorSite
	said bool
	over bool
}

func (f *fakeSession) Next() (wire.Message, error) {
	if f.said {
		return wire.Message{Report: &wire.Report{}}, nil
	}
	f.said = true
	return wire.Message{Hello: &f.s.hello}, nil
}

func (f *fakeSession) Call(context.Context, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, nil
}

func (f *fakeSession) Close() error {
	if !f.over {
		f.s.open--
	}
	f.over = true
	return nil
}

func newDoorSite(t *testing.T, favorite string) *doorSite {
	s := &doorSite{t: t, answers: map[string]*reach.Failure{}, unfit: map[string]string{}}
	door := func(name string, kind DoorKind) Candidate {
		return Candidate{Name: name, Kind: kind, Opener: fakeOpener{s, name},
			Fits: func(_ context.Context, node string) string {
				if why := s.unfit[name+" "+node]; why != "" {
					return why
				}
				return s.unfit[name]
			}}
	}
	s.unfit["local"] = "this host is login1"
	s.Chooser = NewChooser(favorite, door("local", KindHere), door("ssh", KindSSH), door("openssh", KindSSH),
		door("srun", KindSLURM))
	s.Won = func(door string) { s.won = append(s.won, door) }
	return s
}

// attempt returns the door of the next attempt, and its result.
func (s *doorSite) attempt(node string) (door string, session poller.Session, failure *reach.Failure) {
	s.t.Helper()
	ctx := s.t.Context()
	if s.watch != nil {
		ctx = s.watch
	}
	r := s.Route(ctx, node)
	session, err := s.Open(ctx, node, func(reach.Step) {})
	if err != nil && !errors.As(err, &failure) {
		s.t.Fatal(err)
	}
	return r.Door, session, failure
}

// goes checks the doors of the next attempts, as "ssh: auth, srun: ok". A "+" says that the next one follows at once.
func (s *doorSite) goes(node, want string) (last *reach.Failure) {
	s.t.Helper()
	var got []string
	for range strings.Count(want, ",") + 1 {
		door, session, failure := s.attempt(node)
		switch {
		case failure == nil:
			got = append(got, door+": ok")
			_ = session.Close()
		case failure.Next:
			got = append(got, fmt.Sprintf("%s: %s+", door, failure.Class))
		default:
			got = append(got, fmt.Sprintf("%s: %s", door, failure.Class))
		}
		last = failure
	}
	if all := strings.Join(got, ", "); all != want {
		s.t.Errorf("%s went %q, want %q", node, all, want)
	}
	return last
}

func failureOf(class reach.Class) *reach.Failure {
	return &reach.Failure{Class: class, Short: "no " + string(class),
		Hints: []string{"mend " + string(class), "or not"}}
}

func TestTheNextDoorFollowsARefusal(t *testing.T) {
	s := newDoorSite(t, "")
	s.answers["ssh"], s.answers["openssh"] = failureOf(reach.ClassAuth), failureOf(reach.ClassHostKeyUnknown)
	s.goes("a", "ssh: auth+, openssh: host_key_unknown+, srun: ok, srun: ok")
	s.goes("b", "srun: ok") // which reached a
	if want := []string{"srun"}; !slices.Equal(s.won, want) {
		t.Errorf("won %q, want %q", s.won, want)
	}
}

// TestWhenNoDoorOpens lists what each of them answered, and begins anew.
func TestWhenNoDoorOpens(t *testing.T) {
	s := newDoorSite(t, "")
	s.answers["ssh"], s.answers["srun"] = failureOf(reach.ClassAuth), failureOf(reach.ClassSlurm)
	s.unfit["openssh"] = "no ssh in PATH"
	want := []reach.Tried{
		{Door: "ssh", Class: reach.ClassAuth, Summary: "no auth", Hint: "mend auth"},
		{Door: "openssh", Class: reach.ClassNoDoor, Summary: "no ssh in PATH"},
		{Door: "srun", Class: reach.ClassSlurm, Summary: "no slurm", Hint: "mend slurm"},
	}
	for range 2 {
		if f := s.goes("a", "ssh: auth+, srun: slurm"); !slices.Equal(f.Doors, want) {
			t.Errorf("doors %+v", f.Doors)
		}
	}
	if s.answers["ssh"].Next || s.answers["ssh"].Doors != nil {
		t.Error("the door's own failure was changed")
	}
}

func TestWhichFailuresAnotherDoorCures(t *testing.T) {
	inside := failureOf(reach.ClassTimeout)
	inside.Stage = StageProbe
	odd := failureOf(reach.ClassOther)
	odd.Stage = StageDriver
	for _, c := range []struct {
		failure *reach.Failure
		want    string
	}{
		{failureOf(reach.ClassAdopt), "ssh: adopt+, openssh: ok"},
		{failureOf(reach.ClassLocal), "ssh: local+, openssh: ok"},
		{failureOf(reach.ClassOther), "ssh: other+, openssh: ok"},
		{failureOf(reach.ClassRefused), "ssh: refused+, srun: ok"}, // OpenSSH would hear the same
		// ssh has reached no node: is there a firewall?
		{failureOf(reach.ClassTimeout), "ssh: timeout+, srun: ok"},
		{failureOf(reach.ClassHostKeyChanged), "ssh: host_key_changed+, srun: ok"}, // ssh alone is deceived
		{failureOf(reach.ClassNoSpace), "ssh: no_space, ssh: no_space"},
		{inside, "ssh: timeout, ssh: timeout"},
		{odd, "ssh: other, ssh: other"},
	} {
		s := newDoorSite(t, "")
		s.answers["ssh"] = c.failure
		s.goes("a", c.want)
	}
}

// TestADoorThatLetsUsInMayBeOfNoUse: a step has other limits, mounts and startup files than a session of sshd. A login
// shell that is only slow gets a second try.
func TestADoorThatLetsUsInMayBeOfNoUse(t *testing.T) {
	inside := func(class reach.Class) *reach.Failure {
		f := failureOf(class)
		f.Stage = StageProbe
		return f
	}
	driver := failureOf(reach.ClassProbeFailed)
	driver.Stage = StageDriver
	for _, c := range []struct {
		failure *reach.Failure
		want    string
	}{
		{inside(reach.ClassLimit), "ssh: limit+, srun: ok, srun: ok"},
		{inside(reach.ClassNoExec), "ssh: no_exec+, srun: ok"},
		{inside(reach.ClassProbeFailed), "ssh: probe_failed+, srun: ok"},
		{inside(reach.ClassProbeKilled), "ssh: probe_killed+, srun: ok"},
		{inside(reach.ClassDenied), "ssh: denied+, openssh: ok"},
		{inside(reach.ClassProbeLate), "ssh: probe_late, ssh: probe_late+, srun: ok"},
		{inside(reach.ClassGarbage), "ssh: garbage, ssh: garbage+, srun: ok"},
		{driver, "ssh: probe_failed, ssh: probe_failed"},
	} {
		s := newDoorSite(t, "")
		s.answers["ssh"] = c.failure
		s.goes("a", c.want)
	}
	s := newDoorSite(t, "")
	s.answers["ssh"], s.unfit["srun"] = inside(reach.ClassLimit), "no job"
	if f := s.goes("a", "ssh: limit, ssh: limit"); len(f.Doors) != 2 || f.Doors[1].Summary != "no job" {
		t.Errorf("doors %+v", f.Doors)
	}
	s.answers["ssh"], s.unfit["srun"] = inside(reach.ClassProbeLate), ""
	s.goes("b", "ssh: probe_late")
	s.answers["ssh"] = nil
	s.goes("b", "ssh: ok")
	s.answers["ssh"] = inside(reach.ClassProbeLate)
	s.goes("b", "ssh: probe_late, ssh: probe_late+, srun: ok") // counted anew
}

// A node whose host key has changed is reached by a step, and the user is told until ssh accepts a key.
func TestAChangedHostKeyIsNotForgotten(t *testing.T) {
	s := newDoorSite(t, "")
	s.answers["ssh"] = failureOf(reach.ClassHostKeyChanged)
	s.goes("a", "ssh: host_key_changed+, srun: ok")
	want := reach.Tried{Door: "ssh", Class: reach.ClassHostKeyChanged, Summary: s.answers["ssh"].Summary(),
		Hint: s.answers["ssh"].Hints[0]}
	if r := s.Route(t.Context(), "a"); r.Door != "srun" || r.Passed == nil || *r.Passed != want {
		t.Errorf("route %+v, passed %+v", r, r.Passed)
	}
	if r := s.Route(t.Context(), "b"); r.Passed != nil {
		t.Errorf("another node: %+v", r.Passed)
	}
	s.answers["srun"], s.answers["ssh"] = failureOf(reach.ClassSlurm), nil
	s.goes("a", "srun: slurm+, ssh: ok")
	s.answers["srun"], s.answers["ssh"] = nil, failureOf(reach.ClassRefused)
	s.goes("a", "ssh: refused+, srun: ok")
	if r := s.Route(t.Context(), "a"); r.Passed != nil {
		t.Errorf("its key was accepted since, but %+v", r.Passed)
	}
}

// A node is down if it does not answer the transport that has reached other nodes.
func TestADeadNodeIsDialedByOneDoor(t *testing.T) {
	s := newDoorSite(t, "")
	s.goes("a", "ssh: ok")
	s.answers["ssh b"] = failureOf(reach.ClassTimeout)
	if f := s.goes("b", "ssh: timeout, ssh: timeout"); f.Doors != nil {
		t.Errorf("doors %+v", f.Doors)
	}
	s.answers["ssh a"] = failureOf(reach.ClassRefused)
	s.goes("a", "ssh: refused+, srun: ok")
}

// A door whose own stages are done has reached the node, whatever happens then.
func TestADoorThatGetsInIsKept(t *testing.T) {
	s := newDoorSite(t, "")
	full := failureOf(reach.ClassNoSpace)
	full.Stage = StageProbe
	s.answers["ssh"], s.answers["openssh"] = failureOf(reach.ClassAuth), full
	if f := s.goes("a", "ssh: auth+, openssh: no_space, openssh: no_space"); f.Doors != nil {
		t.Errorf("doors %+v", f.Doors)
	}
}

func TestTheRememberedDoorComesFirst(t *testing.T) {
	s := newDoorSite(t, "srun")
	s.unfit["local login1"], s.unfit["local"] = "", ""
	s.goes("login1", "local: ok")
	s.unfit["local"] = "this host is login1"
	s.goes("b", "srun: ok") // whatever this host is reached through
	s = newDoorSite(t, "srun")
	s.goes("a", "srun: ok")
	if len(s.won) != 0 {
		t.Errorf("told again that %q won", s.won)
	}
	s.answers["srun b"] = failureOf(reach.ClassSlurm)
	s.goes("b", "srun: slurm+, ssh: ok, ssh: ok")
	s.answers["srun c"] = failureOf(reach.ClassSlurm)
	s.goes("c", "srun: slurm+, ssh: ok")
	s.goes("d", "ssh: ok")  // which has reached more
	s.goes("a", "srun: ok") // keeps its door
	s.unfit["srun"] = "no job is known"
	s.goes("a", "ssh: ok")
	if s := newDoorSite(t, "a door of the past"); s.Route(t.Context(), "a").Door != "ssh" {
		t.Error("an unknown favorite is not ignored")
	}
}

// TestTheFavoriteDoesNotFlap where half of the nodes need another door: each change is written to the home directory.
func TestTheFavoriteDoesNotFlap(t *testing.T) {
	s := newDoorSite(t, "")
	s.unfit["openssh"] = "no ssh in PATH"
	for i := range 512 {
		node := fmt.Sprintf("n%d", i)
		if i%2 == 1 {
			s.answers["ssh "+node] = failureOf(reach.ClassAuth)
		}
		for range 2 {
			if _, session, failure := s.attempt(node); failure == nil {
				_ = session.Close()
				break
			}
		}
	}
	if len(s.won) > 2 {
		t.Errorf("the favorite has changed %d times", len(s.won))
	}
	for i := range 100 { // one node whose sessions are short does not count again and again
		s.goes(fmt.Sprintf("n%d", 1+i%2), map[int]string{0: "srun: ok", 1: "ssh: ok"}[i%2])
	}
	if len(s.won) > 2 {
		t.Errorf("the favorite has changed %d times with the sessions of two nodes", len(s.won))
	}
}

func TestNoDoorFits(t *testing.T) {
	s := newDoorSite(t, "")
	alone := NewChooser("", s.doors[0])
	r := alone.Route(t.Context(), "a")
	_, err := alone.Open(t.Context(), "a", func(reach.Step) {})
	f := reach.AsFailure(err, "")
	if r.Door != "local" || f.Class != reach.ClassNoDoor ||
		f.Summary() != "transport local does not apply: this host is login1" {
		t.Errorf("route %+v, %s: %s", r, f.Class, f.Summary())
	}
	for door := range strings.FieldsSeq("ssh openssh srun") {
		s.unfit[door] = "no " + door
	}
	if f := s.goes("a", "srun: no_transport"); len(f.Doors) != 3 || f.Next || f.Doors[2].Summary != "no srun" {
		t.Errorf("%+v", f)
	}
	s.unfit["ssh"] = ""
	s.goes("a", "ssh: ok")
}

func TestACanceledAttemptIsNoAnswer(t *testing.T) {
	s := newDoorSite(t, "")
	s.Route(t.Context(), "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Open(ctx, "a", func(reach.Step) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.goes("a", "ssh: ok")
}

// stream opens a session and reads until it ends or has brought a report.
func (s *doorSite) stream(node string) (door string, failure *reach.Failure) {
	s.t.Helper()
	door, session, failure := s.attempt(node)
	if failure != nil {
		return door, failure
	}
	for range 2 {
		if _, err := session.Next(); err != nil {
			return door, reach.AsFailure(err, "")
		}
	}
	_ = session.Close()
	return door, nil
}

func TestASessionInAnotherJobMovesToSlurm(t *testing.T) {
	s := newDoorSite(t, "")
	s.hello.Job = "2"
	jobs := []KnownJob{{ID: "2", Nodes: []string{"a"}, GPUs: map[string]int{"a": 0}},
		{ID: "1", Nodes: []string{"b", "a"}, GPUs: map[string]int{"a": 4}}}
	s.Know(jobs)
	want := func(door string, failed bool) {
		t.Helper()
		got, f := s.stream("a")
		if got != door || (f != nil) != failed {
			t.Errorf("through %s: %v; want %s", got, f, door)
		}
		if f != nil && f.Class == reach.ClassAdopt &&
			(!f.Next || !strings.HasPrefix(f.Summary(),
				"adopted into another job: the ssh session is in job 2, which hides GPUs of job 1")) {
			t.Errorf("%+v", f)
		}
	}
	want("ssh", true)
	want("srun", false)
	want("srun", false)

	// srun does not work: the session in the other job is better than none.
	s.answers["srun"] = failureOf(reach.ClassSlurm)
	s.Chooser = NewChooser("", s.doors...)
	s.Know(jobs)
	want("ssh", true)
	want("srun", true)
	want("ssh", false)

	// And if not even that works any more, there is an end.
	want("ssh", true)
	s.answers["ssh"] = failureOf(reach.ClassAuth)
	want("srun", true)
	s.goes("a", "ssh: auth+, openssh: ok")
	s.answers["openssh"] = failureOf(reach.ClassAuth)
	s.goes("a", "openssh: auth+, ssh: auth+, srun: slurm")

	s.answers["ssh"], s.unfit["srun"] = nil, "no srun in PATH"
	s.Chooser = NewChooser("", s.doors...)
	s.Know(jobs)
	want("ssh", false)
	if s.open != 0 {
		t.Errorf("%d sessions are open", s.open)
	}
}

func TestWhatIsMisplaced(t *testing.T) {
	cards := func(n int) []wire.Card { return make([]wire.Card, n) }
	jobs := []KnownJob{
		{ID: "1", Nodes: []string{"a", "b"}, GPUs: map[string]int{"a": 4, "b": 1}},
		{ID: "2", Nodes: []string{"a", "b"}, GPUs: map[string]int{"a": 1, "b": 1}},
		{ID: "3", Nodes: []string{"a"}},
	}
	for _, c := range []struct {
		node  string
		hello wire.Hello
		want  bool
	}{
		{"a", wire.Hello{Job: "2", GPUs: cards(1)}, true},
		{"a", wire.Hello{Job: "3"}, true},
		{"a", wire.Hello{Job: "9"}, true}, // that has just ended, or begun
		{"a", wire.Hello{Job: "1", GPUs: cards(4)}, false},
		{"a", wire.Hello{Job: "1", GPUs: cards(3)}, false}, // one is missing: no other door shows more
		{"a", wire.Hello{Job: "2", GPUs: cards(8)}, false}, // the cgroup hides nothing
		{"a", wire.Hello{Job: "2", GPUs: append(cards(4), wire.Card{Instance: &wire.Instance{}})}, true},
		{"a", wire.Hello{GPUs: cards(1)}, false},             // in no job
		{"a", wire.Hello{SLUID: "s0", GPUs: cards(3)}, true}, // in an unknown one: a step knows its job
		{"a", wire.Hello{SLUID: "s0", GPUs: cards(4)}, false},
		{"b", wire.Hello{Job: "2", GPUs: cards(1)}, false}, // SLURM would show one of them too
		{"c", wire.Hello{Job: "2", GPUs: cards(1)}, false},
	} {
		o := NewChooser("", Candidate{})
		if o.whyMisplaced(c.node, &c.hello) != "" {
			t.Error("misplaced without a job")
		}
		o.Know(jobs)
		if got := o.whyMisplaced(c.node, &c.hello) != ""; got != c.want {
			t.Errorf("job %q, %d GPUs on %s: %v", c.hello.Job, len(c.hello.GPUs), c.node, got)
		}
	}
}

// TestASessionThatWasLeftIsReturnedTo when the step that was to be better gets in, but its probe does not start.
func TestASessionThatWasLeftIsReturnedTo(t *testing.T) {
	s := newDoorSite(t, "")
	s.hello.Job = "2"
	s.Know([]KnownJob{{ID: "2", Nodes: []string{"a"}, GPUs: map[string]int{"a": 0}},
		{ID: "1", Nodes: []string{"a"}, GPUs: map[string]int{"a": 4}}})
	full := failureOf(reach.ClassNoSpace)
	full.Stage = StageProbe
	s.answers["srun"] = full
	for i, want := range []string{"ssh adopt", "srun no_space", "ssh "} {
		door, f := s.stream("a")
		got := door + " "
		if f != nil {
			got += string(f.Class)
		}
		if got != want {
			t.Errorf("attempt %d went %q, want %q", i, got, want)
		}
	}
}
