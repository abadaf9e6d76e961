package slurm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// fakeSlurm answers like a cluster: squeue prints records; scontrol prints gres by question.
type fakeSlurm struct {
	records []record
	gres    map[string]string // output of `scontrol show job -d`, by ID
	nodes   map[string]string // their Gres, by name; others have 8 GPUs
	fail    map[string]error  // by the command's first words, with its standard error
	says    map[string]string // by the command's first words, another output
	asked   []string          // all commands

	topology string // output of `scontrol show topology`
}

func (s *fakeSlurm) run(_ context.Context, argv ...string) (stdout, stderr []byte, err error) {
	line := strings.Join(argv, " ")
	s.asked = append(s.asked, line)
	for begin, err := range s.fail {
		if strings.HasPrefix(line, begin) {
			return nil, []byte(err.Error()), err
		}
	}
	for begin, text := range s.says {
		if strings.HasPrefix(line, begin) {
			return []byte(text), nil, nil
		}
	}
	switch {
	case argv[0] == "squeue":
		return fixed.print(s.records...), nil, nil
	case strings.HasPrefix(line, "scontrol show hostnames "):
		hosts, err := notation.ExpandHosts(strings.ReplaceAll(argv[3], ",-,", ",PART,"))
		if err != nil {
			return nil, nil, err
		}
		return []byte(strings.ReplaceAll(strings.Join(hosts, "\n")+"\n", "PART", "-")), nil, nil
	case strings.HasPrefix(line, "scontrol show node "):
		var out strings.Builder
		for name := range strings.SplitSeq(argv[3], ",") {
			fmt.Fprintf(
				&out,
				"NodeName=%s Arch=x86_64 CoresPerSocket=16 \n   Gres=%s\n   CfgTRES=cpu=32,billing=32\n\n",
				name,
				s.gresOf(name),
			)
		}
		return []byte(out.String()), nil, nil
	case line == "scontrol show topology":
		return []byte(s.topology), nil, nil
	case strings.HasPrefix(line, "scontrol show job -d"):
		id := strings.TrimPrefix(strings.TrimPrefix(line, "scontrol show job -d"), " ")
		said, ok := s.gres[id]
		if !ok {
			return nil, []byte("slurm_load_jobs error: Invalid job id specified\n"), errors.New("exit status 1")
		}
		return []byte(said), nil, nil
	}
	return nil, nil, fmt.Errorf("the test expects no %q", line)
}

// since forgets the questions, and returns them, without those of squeue and about nodes.
func (s *fakeSlurm) since() []string {
	asked := slices.DeleteFunc(s.asked, func(line string) bool {
		return strings.HasPrefix(line, "squeue") || strings.HasPrefix(line, "scontrol show node")
	})
	s.asked = nil
	return asked
}

func newClient(run command.Runner) *Client {
	c := New(run)
	c.marks = func() marks { return fixed }
	return c
}

// askAll asks until no question is open. Its error is that of the last answer.
func askAll(t *testing.T, c *Client) (*Answer, error) {
	t.Helper()
	answer, err := c.Ask(t.Context())
	for range 1000 {
		if answer == nil || !answer.More && !answer.Topology {
			return answer, err
		}
		answer, err = c.Next(t.Context())
	}
	t.Fatal("there is always another question")
	return nil, nil
}

const startedAt = "2026-11-20T18:22:36"

func shownJob(number, nodes, gres string) string {
	return fmt.Sprintf("JobId=%s JobName=x\n   NodeList=%s\n     Nodes=%s CPU_IDs=16 Mem=0 GRES=%s\n\n", number, nodes,
		nodes, gres)
}

func TestAsk(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{
			{id: "1", number: "1", state: "R", user: "alice", start: startedAt, nodelist: "node[01-03,07]", nodes: "4",
				name: "train"},
			{id: "2_1", number: "16", state: "R", user: "alice", start: startedAt, nodelist: "node08", nodes: "1",
				name: "arr"},
			{id: "2_2", number: "17", state: "R", user: "alice", start: startedAt, nodelist: "node08", nodes: "1",
				name: "arr"},
			{id: "3", number: "18", state: "S", user: "alice", start: startedAt, end: "2026-11-20T19:22:36",
				limit: "1:00:00", nodelist: "node09", nodes: "1", name: "rest"},
			{id: "2_[4-6%3]", number: "2", state: "PD", nodes: "1", gres: "gres:gpu:1", reason: "JobArrayTaskLimit",
				name: "arr"},
		},
		gres: map[string]string{
			"1": shownJob("1", "node[01-03,07]", "gpu:a100:4(IDX:0-3)"),
			"2": shownJob("16", "node08", "gpu:a100:1(IDX:0)") + shownJob("17", "node08", "gpu:a100:1(IDX:1)"),
			"3": shownJob("18", "node09", "gpu:a100:1(IDX:2)"),
		},
	}
	c := newClient(slurm.run)
	answer, err := askAll(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(slurm.asked[0], "squeue --me --states=all --sort=i --format=") {
		t.Errorf("asked %q", slurm.asked[0])
	}
	start := time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC)
	four, one := []int{0, 1, 2, 3}, 1
	want := &Answer{
		Jobs: []cluster.Job{
			{
				ID: "1", Number: "1", Name: "train", User: "alice", Start: start,
				Nodes:  []string{"node01", "node02", "node03", "node07"},
				Minors: map[string][]int{"node01": four, "node02": four, "node03": four, "node07": four},
			},
			{ID: "2_1", Number: "16", Name: "arr", User: "alice", Start: start, Nodes: []string{"node08"},
				Minors: map[string][]int{"node08": {0}}},
			{ID: "2_2", Number: "17", Name: "arr", User: "alice", Start: start, Nodes: []string{"node08"},
				Minors: map[string][]int{"node08": {1}}},
			{
				ID: "3", Number: "18", Name: "rest", User: "alice", Start: start, Limit: time.Hour, Suspended: true,
				Nodes: []string{"node09"}, Minors: map[string][]int{"node09": {2}},
			},
		},
		Pending: []cluster.PendingJob{{ID: "2_[4-6%3]", Name: "arr", Nodes: 1, GPUs: &one,
			Reason: "JobArrayTaskLimit"}},
	}
	for i := range want.Jobs {
		job := &want.Jobs[i]
		job.Configured = map[string]int{}
		for _, node := range job.Nodes {
			job.Configured[node] = 8
		}
	}
	if diff := cmp.Diff(want, answer, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantAsked := []string{"scontrol show hostnames node[01-03,07]", "scontrol show job -d 1", "scontrol show job -d 2",
		"scontrol show job -d 3"}
	if diff := cmp.Diff(wantAsked, slurm.since()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestSlowControllerDelaysOnlyTheGPUs has 60 jobs and commands that take 8 s each. The jobs are known after the first
// command, and each further command adds its answer.
func TestAskExpandsWithoutScontrol(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n[1-2]"}},
		gres:    map[string]string{"1": ""},
		fail:    map[string]error{"scontrol show hostnames": errors.New("scontrol: fatal: something")},
	}
	answer, err := askAll(t, newClient(slurm.run))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"n1", "n2"}, answer.Jobs[0].Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// TestJobThatIsNotToldHoldsNobodyUp: the failure about one job is its own, and a job that started anew is asked about
// at once.
func TestAskFails(t *testing.T) {
	exit1 := errors.New("exit status 1")
	for name, tt := range map[string]struct {
		stderr  string
		err     error
		class   reach.Class
		summary string
	}{
		"controller dead": {
			"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", exit1,
			reach.ClassSlurm, "slurmctld not responding: Unable to contact slurm controller (connect failure)",
		},
		"controller frozen": {
			"slurm_load_jobs error: Socket timed out on send/recv operation\n", exit1,
			reach.ClassSlurmTimeout, "slurmctld not responding: Socket timed out on send/recv operation",
		},
		"deadline": {"", command.ErrLate, reach.ClassSlurmTimeout, "slurmctld not responding: squeue timed out after 10s"},
		"unknown user, exit status 0": {
			"squeue: error: Invalid user: nosuchuser\n\n", nil,
			reach.ClassSlurm, "squeue failed: Invalid user: nosuchuser",
		},
		"munge": {
			"squeue: error: If munged is up, restart with --num-threads=10\nsqueue: error: Munge encode failed\n",
			exit1,
			reach.ClassSlurm, "squeue failed: If munged is up, restart with --num-threads=10",
		},
		"silent": {"", exit1, reach.ClassSlurm, "squeue failed: exit status 1"},
		"too much": {"", errors.New("more than 32 MiB of output"), reach.ClassSlurm,
			"squeue failed: more than 32 MiB of output"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(func(context.Context, ...string) ([]byte, []byte, error) {
				return nil, []byte(tt.stderr), tt.err
			})
			answer, err := c.Ask(t.Context())
			f, ok := errors.AsType[*reach.Failure](err)
			if !ok || answer != nil {
				t.Fatalf("answer %v, error %v", answer, err)
			}
			if f.Class != tt.class || f.Summary() != tt.summary || f.Words != strings.TrimSpace(tt.stderr) {
				t.Errorf("got  %q %q %q\nwant %q %q", f.Class, f.Summary(), f.Words, tt.class, tt.summary)
			}
		})
	}
}

// Plugins warn on every call; only squeue's own refusal of the user comes with exit status 0.
func TestWarningsAreNoFailure(t *testing.T) {
	stderr := "squeue: error: plugin_load_from_file: dlopen(/usr/lib/slurm/cli_filter_site.so): no such file\n"
	c := newClient(func(context.Context, ...string) ([]byte, []byte, error) { return nil, []byte(stderr), nil })
	if answer, err := c.Ask(t.Context()); err != nil || answer == nil || len(answer.Jobs) > 0 {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestAskWithoutSlurm(t *testing.T) {
	for name, run := range map[string]command.Runner{
		"no squeue": func(context.Context, ...string) ([]byte, []byte, error) {
			return nil, nil, &exec.Error{Name: "squeue", Err: exec.ErrNotFound}
		},
		"no configuration": func(context.Context, ...string) ([]byte, []byte, error) {
			return nil, []byte("squeue: error: fetch_config: DNS SRV lookup failed\nsqueue: fatal: Could not establish a configuration source\n"),
				errors.New("exit status 1")
		},
	} {
		if _, err := newClient(run).Ask(t.Context()); !errors.Is(err, command.ErrNoSlurm) {
			t.Errorf("%s: %v, want %v", name, err, command.ErrNoSlurm)
		}
	}
}

func TestAskRefusesWhatItDoesNotUnderstand(t *testing.T) {
	out := []byte(fixed.begin + "1" + fixed.next)
	c := newClient(func(context.Context, ...string) ([]byte, []byte, error) { return out, nil, nil })
	if answer, err := c.Ask(t.Context()); answer != nil || err == nil ||
		!strings.Contains(err.Error(), "unexpected output") {
		t.Errorf("answer %v, error %v", answer, err)
	}
}

// A job with unknown nodes, or without any, says so in a row of its own. It hides no other job and is no failure of
// these.
func TestJobWithoutNodes(t *testing.T) {
	odd := []record{
		{id: "1", number: "1", nodelist: ""},
		{id: "3", number: "3", nodelist: "n[1-"},
		{id: "4", number: "4", nodelist: "n[1-999999]"},
		{id: "5", number: "5", nodelist: "n1\nn2"},
		{id: "6", number: "6", nodelist: "None assigned"},
		{id: "7", number: "7", nodelist: "(null)"},
	}
	for i := range odd {
		odd[i].state, odd[i].word, odd[i].start, odd[i].reason = "R", "RUNNING", startedAt, "None"
	}
	slurm := &fakeSlurm{
		records: append(odd, record{id: "2", number: "2", state: "R", start: startedAt, nodelist: "n2"}),
		gres:    map[string]string{"2": shownJob("2", "n2", "gpu:1(IDX:0)")},
	}
	answer, err := askAll(t, newClient(slurm.run))
	if err != nil || len(answer.Jobs) != 1 || answer.Jobs[0].ID != "2" || answer.Jobs[0].Minors == nil {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
	var got []string
	for i := range answer.Pending {
		if p := &answer.Pending[i]; p.Start.IsZero() {
			got = append(got, p.ID+" "+p.Reason)
		}
	}
	want := []string{
		"1 RUNNING: no nodes",
		`3 RUNNING: nodes unknown: node list "n[1-" not understood: unmatched [`,
		`4 RUNNING: nodes unknown: node list "n[1-999999]" not understood: more than 65536 hosts`,
		`5 RUNNING: nodes unknown: node list "n1\nn2" not understood: "n1\nn2" contains a space`,
		`6 RUNNING: nodes unknown: node list "None assigned" not understood: "None assigned" contains a space`,
		`7 RUNNING: nodes unknown: node list "(null)" not understood: invalid host name "(null)"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(func(context.Context, ...string) ([]byte, []byte, error) {
		cancel()
		return nil, nil, context.Canceled
	})
	if answer, err := c.Ask(ctx); answer != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("answer %v, error %v", answer, err)
	}
}

// TestNamesThatAreCommands: of the login host, or of a job's record, a name that a shell, ssh or SLURM would take for
// something else is never used.
func TestNamesThatAreCommands(t *testing.T) {
	for _, name := range []string{"x;id", "$(id)", "-oProxyCommand=id", "--help", "../evil", "/etc/passwd", "a\x1b[2J",
		"é", strings.Repeat("n", 300)} {
		slurm := &fakeSlurm{records: []record{{id: "1", number: "1", state: "R", user: "alice", start: startedAt,
			nodelist: name, nodes: "1", name: "train"}}}
		answer, err := newClient(slurm.run).Ask(t.Context())
		if answer == nil || len(answer.Jobs) > 0 || err != nil || len(answer.Pending) != 1 ||
			!strings.Contains(answer.Pending[0].Reason, " not understood: ") {
			t.Errorf("squeue says %.20q: %+v %v", name, answer, err)
		}
	}
	for _, said := range []string{"node01\nx;id\n", "-oProxyCommand=id\n", strings.Repeat("n", 300),
		strings.Repeat("n ", notation.MaxHosts+1)} {
		c := newClient(func(context.Context, ...string) ([]byte, []byte, error) { return []byte(said), nil, nil })
		if names := askHostnames(t.Context(), c.run, []string{"node[01-02]"}); len(names) > 0 {
			t.Errorf("scontrol says %.20q: %d lists are taken", said, len(names))
		}
	}
}

// SLURM may expand a node list to nothing without an error: the job keeps the nodes of our expansion.
func TestAnExpansionToNothing(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{{id: "1", number: "1", state: "R", user: "alice", start: startedAt, nodelist: "node[01-02]",
			nodes: "2", name: "train"}},
		gres: map[string]string{"1": shownJob("1", "node[01-02]", "gpu:a100:1(IDX:0)")},
	}
	c := newClient(func(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
		if len(argv) > 2 && argv[2] == "hostnames" {
			return []byte("\n"), nil, nil
		}
		return slurm.run(ctx, argv...)
	})
	answer, err := askAll(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"node01", "node02"}, answer.Jobs[0].Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func (s *fakeSlurm) gresOf(node string) string {
	if gres, told := s.nodes[node]; told {
		return gres
	}
	return "gpu:a100:8(S:0-1)"
}
