package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/term"
	"github.com/nvnodetop/nvnodetop/test/watchdog"
)

// nodes is the size of a cluster; jobs use the first few nodes.
var nodes = 6

func init() { flag.IntVar(&nodes, "nodes", nodes, "the size of a cluster; most tests need this one") }

// patience is the maximum time of a test or subtest. The longest (driver hangs, node without power) take about one
// minute.
const patience = 3 * time.Minute

// dog ends the tests if one hangs.
var dog = watchdog.New(patience, func(last string) { watchdog.Die(os.Stderr, patience, last, abandon) })

// abandon takes the cluster down, as far as possible.
func abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = exec.CommandContext(ctx, "../../scripts/testcluster", "down").Run()
}

// program is the path of nvnodetop on all hosts.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if file := os.Getenv(hookFile); file != "" {
		fmt.Fprintln(os.Stderr, serveHook(file))
		os.Exit(1)
	}
	if os.Getenv("NVNODETOP_CLUSTER") == "" {
		fmt.Println("left out: the tests on a real cluster; scripts/test runs them as root on Debian")
		os.Exit(0)
	}
	if signal.Ignored(syscall.SIGHUP) { // as under nohup: the programs that are tested would ignore it too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if program = os.Getenv(ready); program != "" || value("list") != "" {
		os.Exit(m.Run())
	}
	code, err := withProgram(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		code = 1
	}
	os.Exit(code)
}

func withProgram(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "nvnodetop-test-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "nvnodetop")
	build := exec.Command("go", "build", "-race", "-ldflags=-s -w", "-o", exe, "./cmd/nvnodetop")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("go build: %w: %s", err, out)
	}
	if *clusters > 1 {
		return sideBySide(exe)
	}
	if err := skipSameEverywhere(); err != nil {
		return 1, err
	}
	return onOne(m, exe)
}

// onOne runs the tests in this process, on the cluster of TESTCLUSTER.
func onOne(m *testing.M, exe string) (code int, err error) {
	defer func() {
		dog.Step("the cluster goes down")
		defer dog.Stop()
		if _, downErr := script("down"); err == nil {
			err = downErr
		}
	}()
	dog.Step("the cluster comes up")
	if program, err = bringUp(os.Environ(), exe); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// bringUp starts a cluster, unless it is up, copies a program there, and returns its path. The program copies its probe
// to the users' home before the tests: to pack it takes half a minute with the race detector on a busy machine.
func bringUp(env []string, exe string) (path string, err error) {
	if _, err := scriptIn(env, "up", strconv.Itoa(nodes)); err != nil {
		return "", err
	}
	if path, err = scriptIn(env, "put", exe); err != nil {
		return "", err
	}
	_, err = scriptIn(env, "on", "-u", "alice", "login", path, "--once", "--nodes", "node01", "--timeout", "3m")
	return path, err
}

// script runs scripts/testcluster and returns its output.
func script(args ...string) (string, error) { return scriptIn(nil, args...) }

// scriptIn is script with an environment.
func scriptIn(env []string, args ...string) (string, error) {
	cmd := exec.Command("../../scripts/testcluster", args...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("testcluster %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// do runs scripts/testcluster as a step of a test, which fails if it does.
func do(t *testing.T, args ...string) string {
	t.Helper()
	dog.Watch(t)
	out, err := script(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fault injects a fault, and heals the node when the test ends.
func fault(t *testing.T, args ...string) {
	t.Helper()
	dog.Watch(t)
	host := "ctl"
	if len(args) > 1 {
		host = args[1]
	}
	t.Cleanup(func() { do(t, "heal", host) })
	do(t, append([]string{"fault"}, args...)...)
}

// job starts a job of alice on n nodes, ends it with the test, and returns its id.
func job(t *testing.T, n int, args ...string) string {
	t.Helper()
	id := do(t, append([]string{"job", strconv.Itoa(n)}, args...)...)
	t.Cleanup(func() { cancelJob(t, id) })
	return id
}

// runsNow waits until SLURM has started a job.
func runsNow(t *testing.T, id string) {
	t.Helper()
	for range 300 {
		if do(t, "on", "login", "squeue", "-h", "-j", id, "-o", "%t") == "R" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("job %s does not start:\n%s\n%s", id, do(t, "on", "login", "squeue", "-o", "%i %t %r %N"),
		do(t, "on", "login", "sinfo", "-N", "-o", "%N %T %E"))
}

// cancelJob returns when the nodes of the job are free again, so that the job of the next test starts at once.
func cancelJob(t *testing.T, id string) {
	t.Helper()
	do(t, "on", "login", "scancel", id)
	for range 300 {
		if out, err := script("on", "login", "squeue", "-h", "-j", id, "-t", "R,CG"); err != nil || out == "" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("job %s does not end", id)
}

// asAlice runs a command as alice on login. It keeps no memory between runs: the transport that won would be tried
// first in the next run.
var asAlice = []string{"on", "-u", "alice", "login", "env", "XDG_STATE_HOME=/nowhere"}

// patient gives nodes more than the usual 15 s to report, on a machine that runs several clusters. Tests of --timeout
// set it themselves.
var patient = []string{"NVNODETOP_TIMEOUT=40s"}

// watcher is a running nvnodetop in a terminal.
type watcher struct {
	*term.Terminal
	t *testing.T
}

// slack is the time that a test waits for something that takes a second on an idle machine.
const slack = 45 * time.Second

// watch runs nvnodetop as alice on login, in the node view, with a poll interval of one second.
func watch(t *testing.T, args ...string) *watcher {
	t.Helper()
	return watchSize(t, 120, 40, args...)
}

// watchPoll is watch with another poll interval, in seconds.
func watchPoll(t *testing.T, poll string, args ...string) *watcher {
	t.Helper()
	return watchAt(t, poll, 120, 40, args...)
}

func watchSize(t *testing.T, columns, rows int, args ...string) *watcher {
	t.Helper()
	return watchAt(t, "1", columns, rows, args...)
}

func watchAt(t *testing.T, poll string, columns, rows int, args ...string) *watcher {
	t.Helper()
	return watchProgram(t, columns, rows, slices.Concat([]string{program, poll, "1", "--view", "node"}, args)...)
}

// watchProgram is watch for another command.
func watchProgram(t *testing.T, columns, rows int, command ...string) *watcher {
	t.Helper()
	return watchAs(t, asAlice, columns, rows, command...)
}

// watchAs is watchProgram for another user or host.
func watchAs(t *testing.T, who []string, columns, rows int, command ...string) *watcher {
	t.Helper()
	dog.Watch(t)
	cmd := exec.Command("../../scripts/testcluster", slices.Concat(who, command)...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	terminal, err := term.Start(cmd, columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{terminal, t}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last screen:\n%s", w.Screen())
		}
		w.Close()
	})
	return w
}

// sees waits until all words are on the screen.
func (w *watcher) sees(words ...string) {
	w.t.Helper()
	if _, err := w.WaitFor(slack, strings.Join(words, ", "), func(s string) bool { return all(s, words) }); err != nil {
		w.t.Fatal(err)
	}
}

// noProblem matches row 1 without a problem, and within the minute after one.
var noProblem = regexp.MustCompile(`8 GPUs OK|[0-9]+ problems? cleared`)

// well waits until two nodes with four GPUs each report, without a problem.
func (w *watcher) well() {
	w.t.Helper()
	_, err := w.WaitFor(slack, "two nodes without a problem", func(s string) bool {
		return all(s, []string{"8 of 8 GPUs, 2 of 2 nodes reporting"}) && noProblem.MatchString(s)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func all(s string, words []string) bool {
	flat := strings.Join(strings.Fields(s), " ") // a sentence may be split over lines
	for _, word := range words {
		if !strings.Contains(flat, word) {
			return false
		}
	}
	return true
}

func (w *watcher) types(keys string) {
	w.t.Helper()
	if err := w.Type(keys); err != nil {
		w.t.Fatal(err)
	}
}

// answers presses a key that answers a question, once the question has been on the screen long enough.
func (w *watcher) answers(key string) {
	w.t.Helper()
	time.Sleep(time.Second)
	w.types(key)
}

// quits presses q and checks that the terminal is restored.
func (w *watcher) quits() {
	w.t.Helper()
	w.types("q")
	code, err := w.Wait(5 * time.Second)
	if err != nil || code != 0 {
		w.t.Errorf("exit code %d, %v; the screen:\n%s", code, err, w.Screen())
	}
	w.restored()
}

func (w *watcher) restored() {
	w.t.Helper()
	raw := w.Raw()
	if w.AltScreen() || strings.LastIndex(raw, "\x1b[?25l") > strings.LastIndex(raw, "\x1b[?25h") {
		w.t.Errorf("the terminal was not given back: alternate screen %v, the last bytes %q", w.AltScreen(),
			raw[max(0, len(raw)-300):])
	}
}

// reporting returns the text of row 1 at 120 columns when that many nodes of a job report.
func reporting(n, of int) string {
	if of == 1 {
		return fmt.Sprintf("%d of 4 GPUs", 4*n)
	}
	return fmt.Sprintf("%d of %d nodes reporting", n, of)
}

// result is the result of a program.
type result struct {
	stdout, stderr string
	code           int
	took           time.Duration
}

// runs runs nvnodetop as alice on login without a terminal.
func runs(t *testing.T, args ...string) result {
	t.Helper()
	return runsProgram(t, []string{program}, args...)
}

// runsProgram is runs for another command.
func runsProgram(t *testing.T, command []string, args ...string) result {
	t.Helper()
	dog.Watch(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "../../scripts/testcluster", slices.Concat(asAlice, patient, command, args)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("nvnodetop %s does not end; stderr: %s", strings.Join(args, " "), errs.String())
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode(), time.Since(began)}
}

// decoded is the JSON document, as a script would read it.
type decoded struct {
	Version int
	Pending []schema.PendingJob
	Jobs    []struct {
		ID, Name string
		Nodes    []string
		GPUs     int
		Seen     int `json:"gpus_seen"`
		Start    time.Time

		Ranks []struct {
			Rank, PID   int
			World       int `json:"world_size"`
			State, Node string
		}
		Suspended bool
		Findings  []struct {
			Kind, Class, Node, Text, Hint string

			GPUs []int
		}
	}
	Nodes []struct {
		Name, State string
		Switch      string
		Driver      string `json:"driver_version"`
		Transport   string
		Failure     struct {
			Class, Summary, Words string
			Transports            []struct{ Transport, Class, Summary string }
		}
		Host      map[string]float64
		Unknown   []string `json:"owner_unknown"`
		GPUs      []map[string]any
		Processes []map[string]any
	}
}

func (r result) json(t *testing.T) decoded {
	t.Helper()
	var d decoded
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Fatalf("--json printed %q (stderr %q): %v", r.stdout, r.stderr, err)
	}
	return d
}

// probes counts the processes of nvnodetop on the nodes.
func probes(t *testing.T) int {
	t.Helper()
	n := 0
	for _, found := range byNode(t, "nvnodetop") {
		n += found
	}
	return n
}

// byNode counts the processes on each node whose names contain a word.
func byNode(t *testing.T, word string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for i := range nodes {
		node := fmt.Sprintf("node%02d", i+1)
		out, _ := script("on", node, "pgrep", "-c", word) // exits 1 if there is none
		all[node], _ = strconv.Atoi(out)
	}
	return all
}
