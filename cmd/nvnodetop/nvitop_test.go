package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/heed"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// asProgram, set in the environment, makes the test binary run as nvnodetop: a terminal needs a program to run, and the
// test binary is built already.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	heed.Signals()
	os.Exit(m.Run())
}

// The bytes that terminals send for keys and for the mouse. The wheel turns in the middle of the list.
const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end, pgUp, pgDn = "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~"
	tab, shiftTab, f5     = "\t", "\x1b[Z", "\x1b[15~"
	alt, enter, esc       = "\x1b", "\r", "\x1b"
	// as newer terminals send it: before another key it does not count as Alt
	escAlone            = "\x1b[27u"
	ctrlA, ctrlC, ctrlE = "\x01", "\x03", "\x05"
	ctrlR               = "\x12"

	wheelUp, wheelDown           = "\x1b[<64;40;10M", "\x1b[<65;40;10M"
	shiftWheelUp, shiftWheelDown = "\x1b[<68;40;10M", "\x1b[<69;40;10M"
	ctrlWheelUp, ctrlWheelDown   = "\x1b[<80;40;10M", "\x1b[<81;40;10M"
)

// habit is a key of nvitop, and its effect here.
type habit struct {
	key    string // as nvitop names it
	bytes  string // the bytes that the terminal sends for it
	click  string // the text that is clicked instead
	before string // the keys typed before it
	from   string // the screen before it, as a regular expression; "": as at the start
	want   string // the screen after it, which differs from that before
	after  string // the keys that lead back
}

// Parts of screens, as regular expressions. The demo lists the processes of the GPUs 0 to 15 of one node, of which 15
// fit on the screen.
var (
	first, second = cursorOn("358802"), cursorOn("358805")
	fourth, last  = cursorOn("358811"), cursorOn("358847")

	scrolled  = `358802 .* … train\.py --config`
	scrolled2 = `358802 .* …y --config`
	atStart   = `358802 .* python -u train\.py --config`
	atEnd     = `358802 .* /scratch/alice/tokens`
)

// cursorOn matches a screen with the cursor on a process.
func cursorOn(pid string) string { return `(?m)^▸.? +\d+ +` + pid + ` ` }

// sortedBy matches a screen with the processes in that order, as the title says, with the mark of the direction at the
// heading.
func sortedBy(order, heading string) string {
	return `Processes of gpu-n01 ─+ 16 processes, by ` + order + `  1–15 of 16(.*\n)+.*` + heading
}

func sends(signal string) string {
	return `╭─ Send ` + signal + ` to 1 process\? ─(.*\n)+.*y send +Tab recipients`
}

// refreshed is a key that asks SLURM for the jobs: on the page of the jobs their list was old, and is new.
func refreshed(key, bytes string) habit {
	return habit{key: key, before: "1", from: `job list ([2-9]|\d\d+)s old`, bytes: "35" + bytes + "1",
		want: `job list [01]s old`, after: "35"}
}

// habits is nvitop's table of keys, in its order. Rows that do something else here on purpose say why.
var habits = []habit{
	refreshed("r", "r"), refreshed("Ctrl-R", ctrlR), refreshed("F5", f5),

	{key: "Down", bytes: down, want: second}, {key: "Up", before: down, from: second, bytes: up, want: first},
	{key: "Alt-J", bytes: alt + "j", want: second}, {key: "Alt-K", before: down, from: second, bytes: alt + "k",
		want: first},
	{key: "Tab", bytes: tab, want: second}, {key: "Shift-Tab", before: down, from: second, bytes: shiftTab,
		want: first},
	{key: "wheel down", bytes: wheelDown, want: fourth}, {key: "wheel up", before: end, from: last, bytes: wheelUp,
		want: cursorOn("358838")},
	{key: "j", bytes: "j", want: second},
	// not SIGKILL: k goes up wherever j goes down, and only K kills
	{key: "k", before: down, from: second, bytes: "k", want: first},
	{key: "Home", before: end, from: last, bytes: home, want: first}, {key: "End", bytes: end, want: last},
	{key: "PgDn", bytes: pgDn, want: last}, {key: "PgUp", before: end, from: last, bytes: pgUp, want: first},
	{key: "Alt-Shift-J", bytes: alt + "J", want: last}, {key: "Alt-Shift-K", before: end, from: last, bytes: alt + "K",
		want: first},
	// Not a page down and up: [ and ] change the job on all pages, and PgUp and PgDn are there.
	{key: "]", bytes: "]", want: `Processes of gpu-s11 `, after: "["},
	{key: "[", before: "]", from: `Processes of gpu-s11 `, bytes: "[", want: first},
	{key: "Ctrl-wheel down", bytes: ctrlWheelDown, want: last}, {key: "Ctrl-wheel up", before: end, from: last,
		bytes: ctrlWheelUp, want: first},

	{key: "Right", bytes: right, want: scrolled}, {key: "Left", before: right + right, from: scrolled2, bytes: left,
		want: scrolled},
	{key: "Alt-L", bytes: alt + "l", want: scrolled}, {key: "Alt-H", before: right + right, from: scrolled2,
		bytes: alt + "h", want: scrolled},
	{key: "Shift-wheel down", bytes: shiftWheelDown, want: scrolled}, {key: "Shift-wheel up", before: right + right,
		from: scrolled2, bytes: shiftWheelUp, want: scrolled},
	{key: "Ctrl-E", bytes: ctrlE, want: atEnd}, {key: "$", bytes: "$", want: atEnd},
	{key: "Ctrl-A", before: "$", from: atEnd, bytes: ctrlA, want: atStart},
	{key: "^", before: "$", from: atEnd, bytes: "^", want: atStart},

	{key: "Space", bytes: " ", want: `(?m)^ ● .*358802 .*\n▸  .*358805 `, after: escAlone},
	{key: "Space twice", bytes: "  ", want: ` 2 tagged of 16, by GPU `, after: escAlone},
	{key: "Space, of one with a tag", before: " " + up, from: `(?m)^▸● .*358802 `, bytes: " ", want: second},
	{key: "Esc", before: " ", from: ` 1 tagged of 16, by GPU `, bytes: esc, want: ` 16 processes, by GPU `},

	{key: "I", bytes: "I", want: sends("SIGINT"), after: "n"}, {key: "T", bytes: "T", want: sends("SIGTERM"),
		after: "n"}, {key: "K", bytes: "K", want: sends("SIGKILL"), after: "n"},
	{key: "I, no", before: "I", from: sends("SIGINT"), bytes: "n", want: start},
	{key: "T, no", before: "T", from: sends("SIGTERM"), bytes: esc, want: start},
	// nothing is sent: only y does that, since a signal may go to all ranks
	{key: "T, Enter", before: "T", from: sends("SIGTERM"), bytes: enter, want: start},
	{key: "T, tagged", before: "  ", from: `2 tagged of 16`, bytes: "T", want: `╭─ Send SIGTERM to 2 processes\? ─`,
		after: "n" + escAlone},

	{key: ".", bytes: ".", want: sortedBy("PID", "PID↑")}, {key: ">", bytes: ">", want: sortedBy("PID", "PID↑")},
	{key: ",", bytes: ",", want: sortedBy("time, longest first", "TIME↓")},
	{key: "<", bytes: "<", want: sortedBy("time, longest first", "TIME↓")},
	{key: "/", bytes: "/", want: sortedBy("GPU, last first", "GPU↓")}, {key: "/ twice", before: "/", from: "last first",
		bytes: "/", want: sortedBy("GPU", "GPU↑")},
	{key: "on", before: "op", from: "by PID", bytes: "on", want: sortedBy("GPU", "GPU↑")},
	{key: "oN", bytes: "oN", want: sortedBy("GPU, last first", "GPU↓")},
	{key: "ou", bytes: "ou", want: sortedBy("user", "USER↑")},
	{key: "oU", bytes: "oU", want: sortedBy("user, last first", "USER↓")},
	{key: "op", bytes: "op", want: sortedBy("PID", "PID↑")},
	{key: "oP", bytes: "oP", want: sortedBy("PID, last first", "PID↓") + `(.*\n)+▸ .* 358847 `},
	{key: "og", bytes: "og", want: sortedBy("GPU-MEM, most first", "GPU-MEM↓")},
	{key: "oG", bytes: "oG", want: sortedBy("GPU-MEM, least first", "GPU-MEM↑")},
	{key: "os", bytes: "os", want: sortedBy("%SM, most first", "%SM↓")},
	{key: "oS", bytes: "oS", want: sortedBy("%SM, least first", "%SM↑") + `(.*\n)+▸ .* 358811 `},
	{key: "ob", bytes: "ob", want: sortedBy("%MRW, most first", "%MRW↓")},
	{key: "oB", bytes: "oB", want: sortedBy("%MRW, least first", "%MRW↑") + `(.*\n)+▸ .* 358811 `},
	{key: "oc", bytes: "oc", want: sortedBy("%CPU, most first", "%CPU↓")},
	{key: "oC", bytes: "oC", want: sortedBy("%CPU, least first", "%CPU↑") + `(.*\n)+▸ .* 358811 `},
	{key: "om", bytes: "om", want: sortedBy("%MEM, most first", "%MEM↓")},
	{key: "oM", bytes: "oM", want: sortedBy("%MEM, least first", "%MEM↑")},
	{key: "ot", bytes: "ot", want: sortedBy("time, longest first", "TIME↓")},
	{key: "oT", bytes: "oT", want: sortedBy("time, shortest first", "TIME↑")},

	{key: "e", bytes: "e", want: `── Environment of gpu-n01:358802 ─(.*\n)+▸ CUDA_VISIBLE_DEVICES `, after: "q"},
	{key: "e, e", before: "e", from: `── Environment of gpu-n01:358802 ─`, bytes: "e", want: start},
	{key: "e, q", before: "e", from: `── Environment of gpu-n01:358802 ─`, bytes: "q", want: start},
	{key: "t", bytes: "t", want: ` \d+ processes, as a tree (.*\n)+.*└─ (torchrun|python)`, after: "t"},
	// q quits: the tree is an order of this page, no page of its own
	{key: "t, t", before: "t", from: "as a tree", bytes: "t", want: start},
	{key: "Enter", bytes: enter, want: `── Process gpu-n01:358802  rank 0 (.*\n)+.*SM % .*GPU memory GiB`, after: "q"},
	{key: "Enter, Enter", before: enter, from: `── Process gpu-n01:358802 `, bytes: enter, want: start},
	{key: "Enter, q", before: enter, from: `── Process gpu-n01:358802 `, bytes: "q", want: start},
	{key: "Enter, e", before: enter, from: `── Process gpu-n01:358802 `, bytes: "e",
		want: `── Environment of gpu-n01:358802 ─`, after: "qq"},

	{key: "f", bytes: "f", want: `(?m)^  GPU  RANK   TEMP  UTIL (.*\n)+── Processes of `},
	{key: "a", before: "f", from: `   TEMP  UTIL `, bytes: "a", want: `\A.*\n.*\n── Processes of gpu-n01 `},
	{key: "c", before: "f", from: `   TEMP  UTIL `, bytes: "c", want: `\A.*\n.*\n── Processes of gpu-n01 `},
	{key: "h", bytes: "h", want: `What do you want to do\?`, after: escAlone},
	{key: "?", bytes: "?", want: `What do you want to do\?`, after: escAlone},
	// q would be searched for in nvnodetop's help
	{key: "h, Esc", before: "h", from: `What do you want to do\?`, bytes: esc, want: start},
	// not nvitop's: its users have no selection by mouse
	{key: "m", bytes: "m", want: `(?m)^ m mouse: off `, after: "m"},

	{key: "click", click: "358811", want: fourth}, {key: "double click", click: "358808 358808",
		want: `── Process gpu-n01:358808 `, after: "q"},
	{key: "click on a heading", click: "%CPU", want: sortedBy("%CPU, most first", "%CPU↓")},
	{key: "two clicks on a heading", click: "%MEM %MEM", want: sortedBy("%MEM, least first", "%MEM↑")},

	// the last one: the process is gone
	{key: "K, yes", before: "K", from: sends("SIGKILL"), bytes: "y", want: `╭─ Sent SIGKILL to 1 of 1 process ─`},
}

// Each key of nvitop's table has, on the page of processes, the effect that its users expect, or the one that the row
// names, in a real terminal.
func TestKeysOfNvitop(t *testing.T) {
	t.Parallel()
	d := demo(t)
	d.opens()
	for i, h := range habits {
		t.Run(h.key, func(t *testing.T) {
			d.t = t
			d.tries(h)
			if i < len(habits)-1 {
				d.types(h.after + "on^a" + home)
				d.sees("the page as it was at the start", start)
			}
		})
		if t.Failed() {
			t.FailNow() // the rows behind it begin where it has ended
		}
	}
	d.t = t
	d.types("q")
	d.sees("the page without the process that was killed", ` 15 processes, by GPU `)
	d.quits("q")
}

// Ctrl-C quits, as in nearly all programs, also from a dialog: a question whether to send SIGINT to a process must not
// stand in its place. nvitop's other key, I, asks.
func TestCtrlCQuits(t *testing.T) {
	t.Parallel()
	d := demo(t)
	d.opens()
	d.types("K")
	d.sees("the dialog", sends("SIGKILL"))
	d.quits(ctrlC)
}

// start matches the page as it opens.
const start = `\A.*\n.*\n── Processes of gpu-n01 ─+ 16 processes, by GPU  1–15 of 16  PgDn ──\n.*\n▸   0  358802 (.* python -u train\.py --config.*\n){15} 1-9 pages `

// desk is the program in a terminal.
type desk struct {
	t *testing.T
	*term.Terminal
}

// demo runs the program with a simulated node of 16 GPUs, which is the same each time.
func demo(t *testing.T) *desk {
	cmd := exec.Command(os.Args[0], "--demo=1x16", "--theme=dark", "--keys=nvitop", "1", "1")
	nowhere := t.TempDir()
	cmd.Env = []string{asProgram + "=1", "TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + nowhere, "XDG_CONFIG_HOME=" +
		nowhere, "XDG_STATE_HOME=" + nowhere}
	terminal, err := term.Start(cmd, 120, 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(terminal.Close)
	return &desk{t, terminal}
}

func (d *desk) opens() {
	d.sees("the node", `gpu-n01  CPU `)
	d.types("5")
	d.sees("the processes", start)
}

// slack is the time that a key may take on a busy machine.
const slack = 30 * time.Second

func (d *desk) sees(what, want string) {
	d.t.Helper()
	if _, err := d.WaitFor(slack, what, regexp.MustCompile(want).MatchString); err != nil {
		d.t.Fatalf("%v\nit should match %s", err, want)
	}
}

func (d *desk) types(keys string) {
	d.t.Helper()
	if keys == "y" {
		time.Sleep(500 * time.Millisecond) // a dialog takes no answer before a user can have read it
	}
	if err := d.Type(keys); err != nil {
		d.t.Fatal(err)
	}
}

// tries presses a key, or clicks, and waits for its effect.
func (d *desk) tries(h habit) {
	d.t.Helper()
	if h.before != "" {
		d.types(h.before)
		d.sees("what the key begins with", h.from)
	}
	if screen := d.Screen(); regexp.MustCompile(h.want).MatchString(screen) {
		d.t.Fatalf("%s need not do anything: the screen is as wanted\n%s", h.key, screen)
	}
	bytes := h.bytes
	for text := range strings.FieldsSeq(h.click) {
		bytes += d.clickOn(text)
	}
	d.types(bytes)
	d.sees("what the key does", h.want)
}

// clickOn returns the bytes of a click on a text of the screen.
func (d *desk) clickOn(text string) string {
	d.t.Helper()
	lines := strings.Split(d.Screen(), "\n")
	y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
	if y < 0 {
		d.t.Fatalf("there is no %q to click on:\n%s", text, d.Screen())
	}
	before, _, _ := strings.Cut(lines[y], text)
	at := fmt.Sprintf("%d;%d", len([]rune(before))+1, y+1)
	return "\x1b[<0;" + at + "M\x1b[<0;" + at + "m"
}

// quits presses a key, after which the program ends and restores the terminal.
func (d *desk) quits(key string) {
	d.t.Helper()
	d.types(key)
	if code, err := d.Wait(slack); err != nil || code != 0 || d.AltScreen() {
		d.t.Errorf("%q: exit code %d, %v, alternate screen: %v", key, code, err, d.AltScreen())
	}
}
