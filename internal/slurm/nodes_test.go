package slurm

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func TestParseShowNodeRecorded(t *testing.T) {
	out, err := os.ReadFile("testdata/show-node.txt")
	if err != nil {
		t.Fatal(err)
	}
	nodes, contrary := parseShowNode(out)
	if diff := cmp.Diff(map[string]int{"node01": 4, "node02": 4, "node04": 4}, nodes); diff != "" || len(contrary) > 0 {
		t.Errorf("%v are contrary (-want +got):\n%s", contrary, diff)
	}
}

func TestParseShowNode(t *testing.T) {
	for text, want := range map[string]int{ // -1: it does not say
		"   Gres=gpu:a100:4(S:0-1)\n":                                4,
		"   Gres=gpu:a100:4(S:0,2),gpu:h100:2(S:1),nic:1,shard:16\n": 6,
		"   Gres=gpu:8\n":                                            8,
		"   Gres=gpu:1080:2\n":                                       2,
		"   Gres=gpu:a100_3g.20gb:2(S:0),gpu:a100:1\n":               3,
		"   Gres=(null)\n":                                           0,
		"   Gres=nic:2\n":                                            0,
		"   Gres=gpu:a100\n":                                         -1,
		"   Gres=gpu\n":                                              -1,
		"   Gres=gpu:-1\n":                                           -1,
		"   Gres=gpu:99999\n":                                        -1,
		"":                                                           -1,
		"   Gres=gpu:4\n   CfgTRES=cpu=32,gres/gpu=4,gres/gpu:a=4\n": 4,
		"   Gres=gpu:4\n   CfgTRES=cpu=32,gres/gpu=3\n":              -1,
		"   Gres=gpu:4\n   CfgTRES=cpu=32,billing=32\n":              4,
		// a comment
		"   Gres=gpu:4\n   CfgTRES=gres/gpu=4\n   Comment=x\n   Gres=gpu:9\nNodeName=n2 x=y\n   CfgTRES=gres/gpu=9\n": 4,
		"   Gres=gpu:a:4\n   CfgTRES=cpu=32,gres/gpu:a=4\n":                                                           4,
		"   Gres=gpu:a:2,gpu:b:2\n   CfgTRES=gres/gpu:a=2\n":                                                          4, // of the other type it says nothing
		"   Gres=gpu:a:4\n   CfgTRES=gres/gpu:a=8\n":                                                                  -1,
		"   Gres=gpu:4\n\nNodeName=n1 Arch=x\n   Gres=gpu:4\n":                                                        -1, // two values of Gres
		"   OS=Linux   Gres=gpu:4\n":                                                                                  -1,
	} {
		nodes, _ := parseShowNode([]byte("NodeName=n1 Arch=x86_64 \n" + text))
		got, told := nodes["n1"]
		if !told {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got, contrary := parseShowNode([]byte("   Gres=gpu:4\n")); len(got) > 0 || len(contrary) > 0 {
		t.Errorf("%v and %v of no node", got, contrary)
	}
}

func FuzzParseShowNode(f *testing.F) {
	recorded, err := os.ReadFile("testdata/show-node.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(recorded)
	f.Add([]byte("NodeName=n\n   Gres=gpu:a:2(S:0-1),gpu:((\n   CfgTRES=gres/gpu=2\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		nodes, contrary := parseShowNode(out)
		for name, n := range nodes {
			if n < 0 || contrary[name] || strings.ContainsAny(name, " \n") {
				t.Fatalf("%q has %d GPUs", name, n)
			}
		}
	})
}

// nodeQuestions are the questions about nodes since the last call.
func (s *fakeSlurm) nodeQuestions() (asked []string) {
	for _, line := range s.asked {
		if names, ok := strings.CutPrefix(line, "scontrol show node "); ok {
			asked = append(asked, names)
		}
	}
	s.asked = nil
	return asked
}

// SLURM is asked about each node once, about all in one call, and not before a job has GPUs.
func TestNodesAreAskedOnce(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{
			{id: "1", number: "1", state: "R", start: startedAt, nodelist: "cpu1"},
			{id: "2", number: "2", state: "R", start: startedAt, nodelist: "n[1-2]"},
			{id: "3", number: "3", state: "R", start: startedAt, nodelist: "n2"},
		},
		gres: map[string]string{
			"1": shownJob("1", "cpu1", "nic:1(IDX:0)"),
			"2": shownJob("2", "n[1-2]", "gpu:2(IDX:2-3)"),
			"3": shownJob("3", "n2", "gpu:1(CNT:1)"),
			"4": shownJob("4", "n3", "gpu:1(IDX:0)"),
		},
		nodes: map[string]string{"n1": "gpu:3", "n2": "gpu:4"},
	}
	all := slurm.records
	slurm.records = all[:1]
	c := newClient(slurm.run)
	ask := func(want ...string) *Answer {
		t.Helper()
		answer, err := askAll(t, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := slurm.nodeQuestions(); !slices.Equal(got, want) {
			t.Errorf("asked about %q, want %q", got, want)
		}
		return answer
	}
	ask()
	slurm.records = all
	jobs := ask("cpu1,n1,n2").Jobs
	for i, want := range []cluster.Job{
		{Minors: map[string][]int{"cpu1": {}}, Configured: map[string]int{"cpu1": 8}},
		// n1 has no GPU 3
		{Minors: map[string][]int{"n2": {2, 3}}, Counts: map[string]int{"n1": 2},
			Configured: map[string]int{"n1": 3, "n2": 4}},
		{Counts: map[string]int{"n2": 1}, Configured: map[string]int{"n2": 4}},
	} {
		got := cluster.Job{Minors: jobs[i].Minors, Counts: jobs[i].Counts, Configured: jobs[i].Configured}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("job %d (-want +got):\n%s", i+1, diff)
		}
	}
	slurm.records = append(all[1:2:2], record{id: "4", number: "4", state: "R", start: startedAt, nodelist: "n3"})
	ask("n3")
	slurm.records = all[1:2]
	ask()
}

// A controller that does not answer the question delays no job: they are shown with the number of their GPUs.
func TestNodesThatAreNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slurm := &fakeSlurm{
			records: []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"}},
			gres:    map[string]string{"1": shownJob("1", "n1", "gpu:4(IDX:0-1)")},
			fail:    map[string]error{"scontrol show node": errors.New("slurm_load_node error: Socket timed out")},
		}
		c := newClient(slurm.run)
		for _, step := range []struct {
			after time.Duration
			asked int
			known bool
		}{{0, 1, false}, {firstWait - time.Second, 0, false}, {time.Second, 1, false}, {2 * firstWait, 1, true},
			{maxWait, 0, true}} {
			time.Sleep(step.after)
			if step.known {
				slurm.fail = nil
			}
			answer, err := askAll(t, c)
			if err != nil || len(answer.Jobs) != 1 {
				t.Fatalf("%v, %+v", err, answer)
			}
			job := answer.Jobs[0]
			if _, known := job.Minors["n1"]; known != step.known || known == (job.Counts["n1"] == 2) {
				t.Errorf("after %v: %+v", step.after, job)
			}
			if got := slurm.nodeQuestions(); len(got) != step.asked {
				t.Errorf("after %v: asked %q", step.after, got)
			}
		}
	})
}

// An unclear output is no answer: garbage with exit status 0, half an answer, or an answer about other nodes and jobs.
// The question is asked again.
func TestAnswersThatAreNotUnderstood(t *testing.T) {
	whole := &fakeSlurm{
		records: []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"}},
		gres:    map[string]string{"1": shownJob("1", "n1", "gpu:2(IDX:0-1)")},
	}
	for command, answers := range map[string][]string{
		"scontrol show node": {
			"", "<html>502 Bad Gateway</html>\n", "NodeName=n1 Arch=x86_64 \n",
			"NodeName=n2 Arch=x86_64 \n   Gres=gpu:8\n",
			"NodeName=n1 Arch=x86_64 \n   Gres=gpu:a100:\n   CfgTRES=cpu=32,gres/gpu=8\n",
			"NodeName=n1 Arch=x86_64 \n   CfgTRES=cpu=32,gres/gpu=8\n",
		},
		"scontrol show job": {"", "<html>502 Bad Gateway</html>\n", shownJob("7", "n1", "gpu:2(IDX:0-1)")},
	} {
		for _, answer := range answers {
			synctest.Test(t, func(t *testing.T) {
				broken := true
				c := newClient(func(ctx context.Context, argv ...string) ([]byte, []byte, error) {
					if broken && strings.HasPrefix(strings.Join(argv, " "), command) {
						return []byte(answer), nil, nil
					}
					return whole.run(ctx, argv...)
				})
				if got, err := askAll(t, c); err != nil || len(got.Jobs) != 1 || len(got.Jobs[0].Minors) > 0 {
					t.Errorf("%s prints %q: %+v, %v", command, answer, got, err)
				}
				broken = false
				time.Sleep(firstWait)
				if got, err := askAll(t, c); err != nil || !slices.Equal(got.Jobs[0].Minors["n1"], []int{0, 1}) {
					t.Errorf("%s had printed %q, and the GPUs stay unknown: %+v, %v", command, answer, got, err)
				}
			})
		}
	}
}

// An answer that contradicts itself is an answer, and would be the same again: it proves nothing, and the question is
// not repeated.
func TestAnswersThatContradictThemselves(t *testing.T) {
	for name, slurm := range map[string]*fakeSlurm{
		"a node of two numbers": {says: map[string]string{
			"scontrol show node": "NodeName=n1 Arch=x86_64 \n   Gres=gpu:8\n   CfgTRES=cpu=32,gres/gpu=4\n",
			"scontrol show job":  shownJob("1", "n1", "gpu:2(IDX:0-1)"),
		}},
		"a node that occurs twice": {says: map[string]string{
			"scontrol show node": "NodeName=n1 Arch=x86_64 \n   Gres=gpu:8\n\nNodeName=n1 Arch=x86_64 \n   Gres=gpu:8\n",
			"scontrol show job":  shownJob("1", "n1", "gpu:2(IDX:0-1)"),
		}},
		"a job that occurs twice": {says: map[string]string{
			"scontrol show job": shownJob("1", "n1", "gpu:2(IDX:0-1)") + shownJob("1", "n1", "gpu:2(IDX:0-1)"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slurm.records = []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"}}
				c := newClient(slurm.run)
				for i, asked := range []int{1 + len(slurm.says), 1, 1} { // squeue each time
					answer, err := askAll(t, c)
					if err != nil || len(answer.Jobs) != 1 || len(answer.Jobs[0].Minors) > 0 {
						t.Errorf("%+v, %v", answer, err)
					}
					if len(slurm.asked) != asked {
						t.Errorf("round %d: asked %q", i, slurm.asked)
					}
					slurm.asked = nil
					time.Sleep(2 * maxWait)
				}
			})
		})
	}
}
