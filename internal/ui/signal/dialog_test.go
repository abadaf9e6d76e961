package signal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Only y sends, and to those that were chosen, with the start time of each. Enter and Esc close the dialog.
func TestOnlyYSends(t *testing.T) {
	const one, two = "n01 15 1000/70", "n01 15 1000/70 1001/71; n02 15 2000/70 2001/71"
	for keys, want := range map[string]string{
		"": "", "enter": "", "esc": "", "q": "", "n": "", "Y": "", "space": "", "tab enter": "", "tab tab esc": "",
		"y": one, "tab y": one, "tab tab y": two, "shift+tab shift+tab y": "n01 family [1000]; " + two, "y y": one,
		"y tab y":         one,
		"s U S R enter y": "n01 10 1000/70", "s s i g k enter y": "n01 9 1000/70", "s 1 8 enter y": "n01 18 1000/70",
		"s esc y": one, "s y": "",
		"s down enter y": "n01 1 1000/70", "s down down U enter y": "n01 10 1000/70", "s F O O enter": "",
		"s k i l l enter enter": "",
	} {
		s := sceneOf(2, 2)
		r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
		r.press(keys)
		if got := sentTo(r.asks); got != want {
			t.Errorf("after %q: %q, want %q", keys, got, want)
		}
		closes := strings.HasSuffix(keys, "enter") && !strings.Contains(keys, "F O O") || keys == "esc" ||
			keys == "q" || keys == "n" || keys == "tab tab esc"
		if r.open == closes {
			t.Errorf("after %q the dialog is open: %v", keys, r.open)
		}
	}
}

// The tagged processes are proposed first. A process of another user is listed with the reason, and the dialog asks
// nothing about it.
func TestWhoIsMeant(t *testing.T) {
	s := sceneOf(2, 2)
	bob := targetAt(s, "n01", 2)
	unseen := targetAt(s, "n02", 1)
	unseen.StartTicks = 0
	tagged := []tally.Target{targetAt(s, "n02", 0), bob, unseen}
	r := dialogOf(t, s, targetAt(s, "n01", 1), tagged, Kill)
	r.says("Send SIGKILL to 1 process?", "3 tagged", "rank 1", "all ranks", "with its children", "n01:99",
		"belongs to bob", "it cannot be told from", "nothing is saved",
		"▲ Only 1 of 4 ranks of job 48211 gets it: the others will wait or fail.", "Esc cancel", "!gmx")
	r.press("y")
	if got := sentTo(r.asks); got != "n02 9 2000/70" {
		t.Errorf("asked for %q", got)
	}
	r = dialogOf(t, s, bob, nil, Terminate)
	r.says("No process to send SIGTERM to", "belongs to bob", "this process", "!all ranks", "!children", "!y send",
		"!Tab", "!other signal", "!A process")
	r.press("y tab y")
	if got := sentTo(r.asks); got != "" {
		t.Errorf("asked for %q of bob's", got)
	}
	r = dialogOf(t, s, targetAt(s, "n01", 1), nil, Interrupt)
	r.press("tab tab")
	r.says("Send SIGINT to 4 processes?", "Python raises KeyboardInterrupt", "!▲")
	r = dialogOf(t, s, targetAt(s, "n01", 1), nil, Signal(wire.SignalNumber("USR1")))
	r.says("A process that does not handle SIGUSR1 ends.", "!▲")
}

// A rank may have several processes. Without ranks the whole job is proposed, and nodes without a list are named.
func TestRanksAndJobs(t *testing.T) {
	s := sceneOf(2, 2)
	n := s.Snap.Nodes["n02"]
	helper := n.Processes[0]
	helper.PID, helper.GPU = 2500, 1
	n.Processes = append(n.Processes, helper)
	r := dialogOf(t, s, targetAt(s, "n02", 0), nil, Terminate)
	r.press("tab")
	r.says("Send SIGTERM to 2 processes?", "n02:2000", "n02:2500", "Only 1 of 4 ranks")
	for _, n := range s.Snap.Nodes {
		for i := range n.Processes {
			n.Processes[i].Rank = nil
		}
	}
	s.Snap.Nodes["n01"].Listed, s.Snap.Nodes["n01"].Processes = false, nil
	r = dialogOf(t, s, targetAt(s, "n02", 0), nil, Terminate)
	r.press("tab")
	r.says("whole job", "Send SIGTERM to 3 processes?",
		"No processes are listed on 1 of 2 nodes: nothing is sent there.", "!rank")
}

// The targets of a signal are fixed when the user chooses them: later processes are not hit, and processes that
// disappear are named.
func TestTheListIsFixed(t *testing.T) {
	s := sceneOf(1, 3)
	r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
	r.press("tab tab")
	n := s.Snap.Nodes["n01"]
	next := n.Processes[1]
	next.StartTicks = 800
	n.Processes = []wire.Process{n.Processes[0], next}
	r.says("Send SIGTERM to 3 processes?", "n01:1001  rank 1  GPU1  no longer on its GPU: it may have exited",
		"n01:1002  rank 2  GPU2  no longer on its GPU: it may have exited")
	n.Listed = false // nothing is known then
	r.says("!not on its GPU")
	r.press("y")
	if got := sentTo(r.asks); got != "n01 15 1000/70 1001/71 1002/72" {
		t.Errorf("asked for %q", got)
	}
}

// All ranks are all ranks, also those whose GPUs are not shown, and the dialog says so.
func TestHiddenGPUsGetTheSignalToo(t *testing.T) {
	s := sceneOf(2, 3)
	s.Only = tally.Only{"0", "2"}
	r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
	r.says("!--only")
	r.press("tab tab")
	r.says("Send SIGTERM to 6 processes?", "▲ 2 of these are on GPUs that --only hides: they get the signal too.")
	s.Only = tally.Only{"0", "GPU-"}
	s.NodeOf("n01").GPUs[1].Card.UUID = "GPU-a"
	s.Only[1] = "GPU-a"
	r.says("▲ 3 of these")
	r.press("y")
	if got := sentTo(r.asks); got != "n01 15 1000/70 1001/71 1002/72; n02 15 2000/70 2001/71 2002/72" {
		t.Errorf("asked for %q", got)
	}
	s.Only = tally.Only{"1"}
	dialogOf(t, s, targetAt(s, "n01", 0), nil,
		Terminate).says("▲ 1 of these is on a GPU that --only hides: it gets the signal too.")
}

// While the list is older than those of the nodes, the dialog says so, and how to renew it.
func TestTheListIsOld(t *testing.T) {
	s := sceneOf(2, 2)
	n := s.Snap.Nodes["n02"]
	later := n.Processes
	n.Listed, n.Processes = false, nil
	r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
	r.press("tab tab")
	r.says("Send SIGTERM to 2 processes?", "No processes are listed on 1 of 2 nodes: nothing is sent there.",
		"!listed since")
	n.Listed, n.Processes = true, later[:1]
	r.says("Send SIGTERM to 2 processes?", "No processes were listed on 1 of 2 nodes: nothing is sent there. 1 more",
		"process has been listed since: press Tab, then Shift-Tab, to include", "it.")
	n.Processes = later
	r.says("2 more", "processes have been listed since", "to include", "them.")
	r.press("tab shift+tab")
	r.says("Send SIGTERM to 4 processes?", "!No processes", "!listed since")
	n.Processes = nil
	r.says("!No processes", "!listed since")
}

// Each node is asked once, for up to 256 processes; results may come in any order, and late.
func TestManyTargets(t *testing.T) {
	s := sceneOf(16, 8)
	r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Kill)
	r.press("tab tab")
	r.says("Send SIGKILL to 128 processes?", "+118 more  PgDn")
	r.press("pgdown")
	r.says("11–20 of 128  PgUp PgDn", "n02:2002")
	r.press("y")
	if len(r.asks) != 16 || len(r.asks[15].Request.Signal.Processes) != 8 {
		t.Fatalf("asked for %s", sentTo(r.asks))
	}
	r.says("Sending SIGKILL to 128 processes", "no answer yet for 128")
	for i := len(r.asks) - 1; i > 0; i-- {
		if a := r.asks[i]; !r.hear(reply(a)) || r.hear(reply(a)) {
			t.Errorf("the answer of %s is not taken once", a.Node)
		}
	}
	r.says("sent to 120, no answer yet for 8", "n01:1000")
	r.hear(reply(r.asks[0], wire.Signaled{ErrorID: wire.SignalGone, Error: "x"},
		wire.Signaled{ErrorID: wire.SignalGone, Error: "x"}))
	r.says("Sent SIGKILL to 126 of 128 processes", "sent to 126, 2 had already exited",
		"n01:1000   rank   0  GPU0  has exited", "Esc close", "!y send")

	var crowd []tally.Target
	for i := range 600 {
		crowd = append(crowd, tally.Target{Node: "n01", ProcessID: wire.ProcessID{PID: 5000 + i, StartTicks: 1},
			Mine: true})
	}
	r = dialogOf(t, s, crowd[0], crowd, Kill)
	r.press("y")
	if len(r.asks) != 3 || len(r.asks[0].Request.Signal.Processes) != wire.MaxTargets ||
		len(r.asks[2].Request.Signal.Processes) != 88 {
		t.Errorf("600 on one node make %d requests", len(r.asks))
	}
}

// The outcome of the signal is shown in words; a node's words are made safe first.
func TestOutcomes(t *testing.T) {
	for name, test := range map[string]struct {
		result func(a nav.Ask) nav.Result
		says   []string
	}{
		"sent": {func(a nav.Ask) nav.Result { return reply(a) }, []string{"Sent SIGTERM to 2 of 2 processes",
			"n01:1000  rank 0  GPU0  sent", "sent to 2"}},
		"exited": {fates(wire.Signaled{ErrorID: wire.SignalGone, Error: "gone"}),
			[]string{"Sent SIGTERM to 1 of 2", "GPU0  has exited", "sent to 1, 1 had already exited"}},
		"reused": {fates(wire.Signaled{ErrorID: wire.SignalReused, Error: "x"}),
			[]string{"GPU0  not sent: PID reused by another process", "sent to 1, 1 PID was reused"}},
		"other": {fates(wire.Signaled{ErrorID: wire.SignalOtherUser, Error: "belongs to bob"}),
			[]string{"GPU0  belongs to bob", "1 belongs to another user"}},
		"nameless": {fates(wire.Signaled{ErrorID: wire.SignalOtherUser}), []string{"GPU0  belongs to another user"}},
		"kernel": {fates(wire.Signaled{ErrorID: wire.SignalKernel,
			Error: "the kernel refuses: \x1b[2J\x1b]0;x\a\nEPERM"}), []string{"GPU0  the kernel refuses: ?EPERM",
			"sent to 1, not sent to 1"}},
		"no answer": {fates(wire.Signaled{ErrorID: wire.SignalNoAnswer, Error: "the kernel does not respond"}),
			[]string{"GPU0  the kernel does not respond", "sent to 1, outcome unknown for 1"}},
		"hostile": {fates(wire.Signaled{ErrorID: "\x1b[31mnew", Error: strings.Repeat("\u202e模\x1b[31m", 9000)}),
			[]string{"GPU0  ?模?模", "not sent to 1", "!\x1b"}},
		"unknown": {fates(wire.Signaled{ErrorID: "new"}), []string{"GPU0  not sent, and the node did not say why"}},
		"bare":    {fates(wire.Signaled{Error: "why"}), []string{"GPU0  why", "sent to 1, not sent to 1"}},
		"too few": {func(a nav.Ask) nav.Result { r := reply(a); r.Reply.Signaled = r.Reply.Signaled[:1]; return r },
			[]string{"n01:1001  rank 1  GPU1  the node did not say whether it was sent",
				"sent to 1, outcome unknown for 1"}},
		"wrong pid": {func(a nav.Ask) nav.Result { r := reply(a); r.Reply.Signaled[1].PID = 7; return r },
			[]string{"n01:1001  rank 1  GPU1  the node did not say", "sent to 1, outcome unknown for 1"}},
		"silent": {func(a nav.Ask) nav.Result {
			return nav.Result{Ask: a, Err: fmt.Errorf("ask %q: %w", a.Node, context.DeadlineExceeded)}
		}, []string{"n01  2 processes  no answer: the signal may still arrive", "Sent SIGTERM to 0 of 2",
			"outcome unknown for 2"}},
		"away": {func(a nav.Ask) nav.Result {
			return nav.Result{Ask: a,
				Err: fmt.Errorf("%q is not connected", a.Node)}
		}, []string{"n01  2 processes  not sent: it is not connected", "not sent to 2", "!unknown"}},
		"ended": {func(a nav.Ask) nav.Result {
			return nav.Result{Ask: a, Err: fmt.Errorf("ask %q: %w", a.Node,
				fmt.Errorf("%w: %w", reach.ErrNoReply, errors.New("session \x1b[2Jclosed")))}
		}, []string{"n01  2 processes  no answer, it may have arrived: session closed", "outcome unknown for 2",
			"!not sent"}},
		"refuses": {func(a nav.Ask) nav.Result {
			return nav.Result{Ask: a,
				Reply: wire.Reply{Error: "8 requests\x1b[2J"}}
		}, []string{"n01  2 processes  refused: 8 requests", "not sent to 2"}},
	} {
		s := sceneOf(1, 2)
		r := dialogOf(t, s, targetAt(s, "n01", 0), []tally.Target{targetAt(s, "n01", 0), targetAt(s, "n01", 1)},
			Terminate)
		r.press("y")
		if !r.hear(test.result(r.asks[0])) {
			t.Fatalf("%s: the result is not taken", name)
		}
		t.Run(name, func(t *testing.T) { r.t = t; r.says(test.says...) })
		if r.press("esc"); r.open {
			t.Errorf("%s: Esc does not close it", name)
		}
	}
}

func fates(f wire.Signaled) func(a nav.Ask) nav.Result {
	return func(a nav.Ask) nav.Result { return reply(a, f) }
}

// The result of another dialog's request is left to others.
func TestResultsOfOthers(t *testing.T) {
	s := sceneOf(1, 1)
	old := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
	old.press("y")
	next := dialogOf(t, s, targetAt(s, "n01", 0), nil, Terminate)
	next.press("y")
	for name, r := range map[string]nav.Result{"signal": reply(old.asks[0]),
		"family":  {Ask: nav.Ask{Node: "n01", Request: wire.Request{Family: &wire.Family{PIDs: []int{1000}}}}},
		"environ": {Ask: nav.Ask{Node: "n01"}}} {
		if next.hear(r) {
			t.Errorf("the result of another %s was taken", name)
		}
	}
	next.says("no answer yet for 1")
}

// The children are those that the node tells; before that nothing is sent.
func TestFamily(t *testing.T) {
	s := sceneOf(1, 2)
	ask := func() *rig {
		r := dialogOf(t, s, targetAt(s, "n01", 0), nil, Kill)
		r.press("shift+tab")
		if got := sentTo(r.asks); got != "n01 family [1000]" {
			t.Fatalf("asked for %q", got)
		}
		r.says("asking n01 for the children of 1000", "No process to send SIGKILL to")
		r.press("y tab shift+tab")
		if len(r.asks) != 1 {
			t.Fatalf("asked for %s", sentTo(r.asks))
		}
		return r
	}
	relative := func(pid, parent int, start uint64, user, command string) wire.Relative {
		return wire.Relative{ProcessID: wire.ProcessID{PID: pid, StartTicks: start}, Parent: parent, User: user,
			Command: command}
	}
	family := []wire.Relative{
		relative(1300, 1200, 91, "alice", "grandchild"), relative(900, 1, 3, "alice", "bash"),
		relative(1000, 900, 70, "alice", "python"),
		relative(1200, 1000, 90, "alice", "child \x1b[2J\u202e"), relative(1001, 1000, 71, "alice", "x"),
		relative(1400, 1000, 92, "root", "sudo"), relative(1500, 900, 93, "alice", "sibling"),
		relative(1000, 1300, 70, "alice", "a loop"),
	}
	r := ask()
	if !r.hear(nav.Result{Ask: r.asks[0], Reply: wire.Reply{Family: family, Truncated: true}}) {
		t.Fatal("the family is not taken")
	}
	r.says("Send SIGKILL to 4 processes?", "grandchild", "child ?", "n01:1001  rank 1", "belongs to root",
		"The process has more children", "!\x1b", "!sibling", "!bash")
	for _, target := range r.dialog.(*Dialog).list {
		if !text.Plain(target.Command) {
			t.Errorf("the node's command is kept as it is: %q", target.Command)
		}
	}
	r.press("y")
	if got := sentTo(r.asks[1:]); got != "n01 9 1000/70 1200/90 1001/71 1300/91" {
		t.Errorf("asked for %q", got)
	}
	for want, result := range map[string]nav.Result{
		"the process has exited": {Reply: wire.Reply{Family: []wire.Relative{relative(
			1000, 1, 999, "alice", "another")}}},
		"n01 lists only some of its processes, and this one is not": {Reply: wire.Reply{Family: []wire.Relative{relative(
			900, 1, 3, "alice", "bash")}, Truncated: true}},
		"n01 did not answer: it is not connected": {Err: errors.New(`"n01" is not connected`)},
		"n01 refused: no /proc":                   {Reply: wire.Reply{Error: "no /proc\x1b[2J"}},
	} {
		r := ask()
		result.Ask = r.asks[0]
		r.hear(result)
		r.says(want, "No process to send")
		if r.press("y"); len(r.asks) != 1 {
			t.Errorf("%s: asked for %s", want, sentTo(r.asks))
		}
	}
}

// A key that has to work everywhere is left to others; the mouse and a paste are not.
func TestKeysOfOthers(t *testing.T) {
	s := sceneOf(1, 1)
	d, _ := NewDialog(targetAt(s, "n01", 0), nil, 0, s)
	for _, typing := range []bool{true, false} {
		if a, open := d.Press(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, s); a.Taken || !open {
			t.Error("Ctrl-C is taken")
		}
		for _, msg := range []tea.Msg{tea.MouseClickMsg{}, tea.MouseWheelMsg{}, tea.PasteMsg{Content: "y"}} {
			if a, open := d.Press(msg, s); !a.Taken || !open || len(a.Ask) > 0 {
				t.Errorf("%T: %+v, typing %v", msg, a, typing)
			}
		}
		d.Press(tea.KeyPressMsg{Code: tea.KeyEnter}, s)
	}
}

func TestMatching(t *testing.T) {
	for typed, want := range map[string]string{
		"": "USR1 HUP INT QUIT USR2 TERM CONT STOP KILL ABRT ILL", "u": "USR1 USR2 URG", "SIGUSR": "USR1 USR2",
		"sig": "USR1 HUP", "SI": "USR1 HUP", "t": "TERM TRAP TSTP", "1": "HUP USR1 USR2 TERM", "15": "TERM",
		"KILL": "KILL", "sigsys": "SYS", "32": "", "0": "", "-9": "", "RTMIN": "",
	} {
		var names []string
		for _, e := range matchSignals(typed) {
			names = append(names, e.Name())
		}
		got := strings.Join(names, " ")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
	if n := len(all); n != 31 {
		t.Errorf("there are %d signals", n)
	}
}
