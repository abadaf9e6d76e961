package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestSecrets(t *testing.T) {
	for line, secret := range map[string]bool{
		"WANDB_API_KEY=abc": true, "hf_token=x": true, "MYSQL_PASSWD=x": true, "Aws_Secret=x": true,
		"GOOGLE_APPLICATION_CREDENTIALS=/x": true, "SSH_AUTH_SOCK=/tmp/x": true,
		"DB_PASS=x": true, "PGPASSWORD=x": true, "EMPTY_KEY=": false, "X=ghp_0123456789abcdef": true,
		"X=github_pat_11AAA": true, "X=glpat-0123456789abcdefghij": true, "X=hf_abcdefghijklmnopqrst": true,
		"X=sk-proj-1": true, "X=xoxb-1-2": true, "X=AKIAIOSFODNN7EXAMPLE": true, "X=eyJhbGciOiJIUzI1NiJ9.e30.x": true,
		"X=Bearer abc": true, "PROXY=http://bob:pw@proxy:3128": true,
		"PROXY=http://proxy:3128/a@b": false, "PEM=-----BEGIN KEY-----": true,
		"X=4f1c0de5ba5eba11deadc0dedecafbad0000": true, "X=abcdefghijklmnopqrstuvwxyzabcdef": false,
		"MYSQL_PWD=x": true, "REDIS_PW=x": true, "db_pass=x": true, "SENTRY_DSN=x": true, "DSN=x": true,
		"SLACK_WEBHOOK_URL=x": true, "PWD=/home/alice": false, "OLDPWD=/home/alice": false,
		"LOADSNAPSHOT=1": false, "DB=alice:pw@db/train": true, "X=-o alice:pw@db": true, "X=run --password=abc": true,
		"X=run --password abc": true, "X=run --token abc": true,
		"DB=host=db password=abc": true, "DB=host=db;PASSWORD=abc": true, "X=a&token=abc": true, "X=Secret=abc": true,
		"X=password=": false, "X=passwords and tokens": false,
		"GIT=git@github.com:alice/train.git": false, "ROOT=alice@db": false,
		`PS1=${debian_chroot:+($debian_chroot)}\u@\h:\w\$ `: false, "HCA=mlx5_0:1,mlx5_1:1": false, "TIME=12:30": false,
		"RANK=3": false, "PATH=/opt/spack/cuda-12.4-k3j5h2k3j5h2k3j5h2k3j5h2k3j5h2k3/bin": false,
		"CUDA_VISIBLE_DEVICES=GPU-8f3cd1a2-1111-2222-3333-444455556666": false,
		"SLURM_NODELIST=gpu-n[001-064]":                                 false, "N=12345678901234567890123456": false,
	} {
		if got := parseEnviron([]string{line}); len(got) != 1 || got[0].secret != secret {
			t.Errorf("%s: %+v, want a secret: %v", line, got, secret)
		}
	}
}

func TestVariablesAreClean(t *testing.T) {
	got := parseEnviron([]string{"B=1", "", "F%%=() {\n  x\n}", "A\x1b[2J=\x1b]0;x\x07y\r\x9b1m\u202e", "=", "C"})
	want := []variable{{"", "", false, "="}, {"A", "y?\uFFFD1m?", false, "="}, {"B", "1", false, "="},
		{"C", "", false, "="},
		{"F%%", `() {\n  x\n}`, false, "="}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

var some = []string{"RANK=3", "NCCL_DEBUG=WARN", "NCCL_IB_HCA=mlx5", "API_KEY=topsecret", "HOME=/home/alice"}

// Each key, by what is shown, copied and said then.
func TestEnvironKeys(t *testing.T) {
	for _, test := range []struct {
		keys         string
		shows, lacks string
		copies       string
		notice       string
		taken, open  bool
	}{
		{keys: "down", shows: "▸ HOME", lacks: "topsecret", taken: true, open: true},
		{keys: "j j k", shows: "▸ HOME", taken: true, open: true},
		{keys: "up", shows: "▸ API_KEY", taken: true, open: true},
		{keys: "end", shows: "▸ RANK", taken: true, open: true},
		{keys: "end down", shows: "▸ RANK", taken: true, open: true},
		{keys: "G g", shows: "▸ API_KEY", taken: true, open: true},
		{keys: "x", shows: "topsecret", taken: true, open: true},
		{keys: "x x", shows: "●●●●●●●●  (hidden, x shows)", lacks: "topsecret", taken: true, open: true},
		{keys: "y", notice: "API_KEY is hidden", taken: true, open: true},
		{keys: "x y", copies: "API_KEY=topsecret", notice: "copied", taken: true, open: true},
		{keys: "down y", copies: "HOME=/home/alice", notice: "copied", taken: true, open: true},
		{keys: "Y", copies: "HOME=/home/alice\nNCCL_DEBUG=WARN\nNCCL_IB_HCA=mlx5\nRANK=3\n", notice: "4 of 5 variables",
			taken: true, open: true},
		{keys: "/ n c c l enter Y", copies: "NCCL_DEBUG=WARN\nNCCL_IB_HCA=mlx5\n", notice: "2 variables", taken: true,
			open: true},
		{keys: "/ M l X", shows: "rank 3, 1 of 5 variables", lacks: "RANK", taken: true, open: true},
		{keys: "/ r a n k = 3", shows: "/rank=3█", lacks: "HOME", taken: true, open: true},
		{keys: "/ s e c r", shows: "No variable matches \"secr\"", taken: true, open: true},
		{keys: "/ s e c r enter Y", notice: "nothing to copy", taken: true, open: true},
		{keys: "/ s e c r enter y", taken: true, open: true},
		{keys: "/ z enter j", shows: "Esc clear search", taken: true, open: true},
		{keys: "x / s e c r", shows: "topsecret", lacks: "RANK", taken: true, open: true},
		{keys: "/ x esc", shows: "rank 3, 5 variables", taken: true, open: true},
		{keys: "/ x enter esc", shows: "rank 3, 5 variables", taken: true, open: true},
		{keys: "/ q", shows: "/q█", taken: true, open: true},
		{keys: "/ ctrl+c", open: true}, {keys: "ctrl+c", open: true}, {keys: "?", open: true}, {keys: "s", open: true},
		{keys: "esc", taken: true}, {keys: "q", taken: true}, {keys: "e", taken: true},
		{keys: "/ x enter q", taken: true}, {keys: "/ x enter esc esc", taken: true},
	} {
		s := scene(100, 20, noon)
		e := environ(t, s, false, some...)
		a, open := pressed(e, s, test.keys)
		text := drawn(s, e)
		if open != test.open || a.Taken != test.taken || a.Copy != test.copies ||
			!strings.Contains(a.Notice, test.notice) || (test.notice == "") != (a.Notice == "") {
			t.Errorf("%s: %+v, open: %v", test.keys, a, open)
		}
		if !strings.Contains(text, test.shows) || test.lacks != "" && strings.Contains(text, test.lacks) {
			t.Errorf("after %s there is no %q, or %q:\n%s", test.keys, test.shows, test.lacks, text)
		}
	}
	s := scene(100, 20, noon)
	if a, open := pressed(environ(t, s, false, some...), s, "r"); a.Taken || !open || len(a.Ask) != 1 {
		t.Errorf("r asks %+v", a)
	}
}

// A pasted text becomes one line, and the words of a search may stand anywhere.
func TestSearchTakesPastes(t *testing.T) {
	s := scene(100, 20, noon)
	e := environ(t, s, false, some...)
	pressed(e, s, "/")
	e.Press(tea.PasteMsg{Content: "nccl\n\u202e\x1bwarn"}, s)
	if got := e.search.Text(); got != "nccl warn" || !e.search.Typing() ||
		!strings.Contains(drawn(s, e), "1 of 5 variables") {
		t.Errorf("searched for %q:\n%s", got, drawn(s, e))
	}
}

// Values that are wider than the screen wrap. The cursor goes from variable to variable, and shows the whole of one if
// it fits.
func TestLongValues(t *testing.T) {
	s := scene(60, 12, noon) // eight lines
	tall := strings.Repeat("0123456789", 60)
	e := environ(t, s, false, "A=1", "B="+strings.Repeat("b", 100), "C=2", "D="+tall, "E=3")
	room := 60 - listX - nameLeast - valueGap - barWidth
	at := func() valueLine { return e.now.lines[e.cursor.At(e.cursorList(s, &e.now))].valueLine }
	for _, step := range []struct {
		key  string
		want valueLine
		from int // the first line on the screen
	}{{"down", valueLine{1, 0}, 0}, {"down", valueLine{2, 0}, 0}, {"down", valueLine{3, 0}, 0},
		{"down", valueLine{3, 1}, 0},
		{"up", valueLine{3, 0}, 0}, {"up", valueLine{2, 0}, 0}, {"end", valueLine{4, 0}, 12}, {"up", valueLine{3, 13}, 12},
		{"home", valueLine{0, 0}, 0}, {"pgdown", valueLine{3, 3}, 8}} {
		if pressed(e, s, step.key); at() != step.want || e.cursor.Window(e.cursorList(s, &e.now)).From != step.from {
			t.Errorf("after %s at %v from %d, want %v from %d", step.key, at(), e.cursor.Window(e.cursorList(s, &e.now)).From,
				step.want, step.from)
		}
	}
	pressed(e, s, "home")
	text := drawn(s, e)
	if !strings.Contains(text, strings.Repeat("b", room)) || strings.Contains(text, strings.Repeat("b", room+1)) ||
		strings.Count(text, "B ") != 1 || !strings.Contains(text, "lines 1–8 of 20") {
		t.Errorf("shown is\n%s", text)
	}
	e.Press(tea.MouseClickMsg{Button: tea.MouseLeft, Y: rowWith(text, "C   ")}, s)
	if at() != (valueLine{2, 0}) {
		t.Errorf("a click leads to %v", at())
	}
	e.Press(tea.MouseClickMsg{Button: tea.MouseLeft, Y: 1}, s)
	if at() != (valueLine{2, 0}) {
		t.Errorf("a click on the header leads to %v", at())
	}
	e.Press(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, s)
	if at() != (valueLine{3, 2}) {
		t.Errorf("the wheel leads to %v", at())
	}
}

// The whole of a variable comes on the screen with the cursor.
func TestTheCursorShowsAllOfAVariable(t *testing.T) {
	s := scene(60, 12, noon)
	e := environ(t, s, false, "A=", "B=", "C=", "D=", "E=", "F=", "G=", "H="+strings.Repeat("h", 100))
	pressed(e, s, "down down down down down down down")
	if w := e.cursor.Window(e.cursorList(s, &e.now)); w.From != 2 || w.From+w.Shown != w.All {
		t.Errorf("on the screen are %+v", w)
	}
}

// A node that does not send an environment is quoted, and what others asked for is not taken.
func TestEnvironIsRefused(t *testing.T) {
	ask := nav.Ask{Node: "n1", Request: wire.Request{Environ: &wire.ProcessID{PID: 77, StartTicks: 9}}}
	env := wire.Reply{Environ: &wire.Environ{}}
	for name, test := range map[string]struct {
		result nav.Result
		want   string
	}{
		"other user": {nav.Result{Ask: ask,
			Reply: wire.Reply{Error: "process 77 belongs to bob\x1b[2J: you can\x07not"}},
			"cannot be shown: process 77 belongs to bob: you can?not."},
		"exited": {nav.Result{Ask: ask, Reply: wire.Reply{Error: "process 77 has exited"}},
			"cannot be shown: process 77 has exited."},
		"silent": {nav.Result{Ask: ask, Err: fmt.Errorf("ask: %w", context.DeadlineExceeded)},
			"cannot be shown: n1 has not answered."},
		"away": {nav.Result{Ask: ask, Err: errors.New(`"n1" is not connected`)},
			`cannot be shown: "n1" is not connected.`},
		"empty":      {nav.Result{Ask: ask, Reply: env}, "without an environment, or has overwritten it"},
		"other node": {nav.Result{Ask: nav.Ask{Node: "n2", Request: ask.Request}, Reply: env}, "Asking n1 …"},
		"other pid": {nav.Result{Ask: nav.Ask{Node: "n1",
			Request: wire.Request{Environ: &wire.ProcessID{PID: 77, StartTicks: 10}}}, Reply: env}, "Asking n1 …"},
		"other call": {nav.Result{Ask: nav.Ask{Node: "n1", Request: wire.Request{Process: &id}}, Reply: env},
			"Asking n1 …"},
	} {
		s := scene(100, 20, noon)
		e, _ := NewEnviron(target())
		if a, open := e.Press(test.result, s); !a.Taken || !open {
			t.Errorf("%s: %+v, open: %v", name, a, open)
		}
		if text := drawn(s, e); !strings.Contains(text, test.want) {
			t.Errorf("%s: there is no %q:\n%s", name, test.want, text)
		}
	}
	s := scene(100, 20, noon)
	if text := drawn(s, environ(t, s, true, some...)); !strings.Contains(text, "Cut off") {
		t.Errorf("what is cut off is not said:\n%s", text)
	}
}

// Any answer of a node is drawn in time, and without characters that control a terminal.
func TestHostileEnviron(t *testing.T) {
	list := []string{"A\x1b[2J\x07=\x1b]52;c;ZXZpbA==\x07\x9b31m\u202eevil\r\n", "B=" + strings.Repeat("模型", 17_000),
		"C=" + strings.Repeat("x", 100_000), strings.Repeat("N", 3000) + "=1", "=", "D=\xff"}
	for i := range 10_000 {
		list = append(list, fmt.Sprintf("V%05d=%d", i, i))
	}
	s := scene(120, 40, noon)
	e := environ(t, s, true, list...)
	for _, keys := range []string{"", "down down", "end", "pgdown", "/ v 0 9 enter", "esc home pgdown pgdown"} {
		if pressed(e, s, keys); strings.ContainsAny(drawn(s, e), "\x1b\x07\u009b\u202e\r") {
			t.Errorf("after %s something acts on the terminal: %q", keys, drawn(s, e))
		}
	}
	e.Settle(s)
	if took := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			pressed(e, s, "down")
			drawn(s, e)
		}
	}); took.NsPerOp() > int64(50*time.Millisecond) {
		t.Errorf("a key takes %v", took)
	}
	for _, w := range []int{1, 5, 20, 60, 300} {
		drawn(scene(w, 10, noon), e)
	}
}
