package slurm

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// topologies counts the questions for the topology since the last call.
func (s *fakeSlurm) topologies() (n int) {
	for _, line := range s.asked {
		if line == "scontrol show topology" {
			n++
		}
	}
	s.asked = nil
	return n
}

// wide is a job of n nodes.
func wide(n string) []record {
	return []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "node[01-" + n + "]"}}
}

// The topology is requested when a job has many nodes, once an hour, and a little later after an absence of the
// controller.
func TestTopologyIsAskedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slurm := &fakeSlurm{gres: map[string]string{"1": shownJob("1", "node01", "gpu:1(IDX:0)")},
			topology: string(recordedTopology(t, "tree.txt"))}
		c := newClient(slurm.run)
		for i, step := range []struct {
			after time.Duration
			nodes string
			away  bool
			asked int
			known int // switches
		}{
			{0, "04", false, 0, 0},
			{0, "09", false, 1, 3},
			{topologyEvery - time.Second, "09", false, 0, 3},
			{0, "02", false, 0, 1},
			{time.Second, "05", false, 1, 2},
			{time.Minute, "05", true, 0, 2},
			{topologyAgain - time.Minute, "05", false, 1, 2},
			{topologyAgain, "05", false, 0, 2},
		} {
			time.Sleep(step.after)
			slurm.fail = nil
			if step.away {
				slurm.fail = map[string]error{"squeue": errors.New("connect failure")}
				if _, err := c.Ask(t.Context()); err == nil {
					t.Fatal("no error")
				}
				slurm.fail = nil
			}
			slurm.records = wide(step.nodes)
			answer, err := askAll(t, c)
			if err != nil {
				t.Fatal(err)
			}
			if got := slurm.topologies(); got != step.asked || len(answer.Switches) != step.known {
				t.Errorf("step %d: asked %d times, want %d; %+v", i, got, step.asked, answer.Switches)
			}
		}
	})
}

func TestSwitchesOfJobs(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{
			{id: "1", number: "1", state: "R", start: startedAt, nodelist: "node[03-07]"},
			{id: "2", number: "2", state: "R", start: startedAt, nodelist: "node[07-10]"},
		},
		gres: map[string]string{"1": shownJob("1", "node03", "gpu:1(IDX:0)"),
			"2": shownJob("2", "node07", "gpu:1(IDX:0)")},
		topology: string(recordedTopology(t, "tree.txt")),
	}
	answer, err := askAll(t, newClient(slurm.run))
	if err != nil {
		t.Fatal(err)
	}
	want := []cluster.Switch{{Name: "a1", Nodes: []string{"node03", "node07"}},
		{Name: "a2", Nodes: []string{"node04", "node05", "node06"}}, {Name: "b2", Nodes: []string{"node08", "node09"}}}
	if diff := cmp.Diff(want, answer.Switches); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A SLURM that does not say, or has no topology, is no failure: nothing else is missing.
func TestNoTopology(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slurm := &fakeSlurm{
			records: wide("09"), gres: map[string]string{"1": shownJob("1", "node01", "gpu:1(IDX:0)")},
			fail: map[string]error{"scontrol show topology": errors.New("slurm_load_topo error: Socket timed out")},
		}
		c := newClient(slurm.run)
		for _, say := range []string{"", "No topology information available\n"} {
			answer, err := askAll(t, c)
			if err != nil || answer.Switches != nil || len(answer.Jobs) != 1 {
				t.Errorf("%v, %+v", err, answer)
			}
			if got := slurm.topologies(); got != 1 {
				t.Errorf("asked %d times", got)
			}
			slurm.fail, slurm.topology = nil, say
			time.Sleep(topologyEvery)
		}
	})
}

// An unclear output is no answer: the switches stay, and the question is asked again before the hour is over.
func TestTopologyThatIsNotUnderstood(t *testing.T) {
	tree := string(recordedTopology(t, "tree.txt"))
	for _, step := range []struct {
		say   string
		known int // switches, with this answer
		again time.Duration
	}{
		{"<html>502 Bad Gateway</html>\n", 3, topologyAgain},
		{"SwitchName=a1 Level=0 LinkSp", 3, topologyAgain},
		{"SwitchName=a1 Level=0 LinkSpeed=1 Nodes=n[1-\n", 3, topologyAgain},
		{"Slurm is down for maintenance\n", 3, topologyAgain},
		{"", 0, topologyEvery},
		{"MeshName=m1 Dims=2x2\n  MeshName=m1 Anchors=4\nLinks=9 A=b\n", 0, topologyEvery}, // of a later version
		{string(recordedTopology(t, "ring.txt")), 2, topologyEvery},
		{"No topology information available\n", 0, topologyEvery},
	} {
		synctest.Test(t, func(t *testing.T) {
			slurm := &fakeSlurm{records: wide("09"),
				gres: map[string]string{"1": shownJob("1", "node01", "gpu:1(IDX:0)")}, topology: tree}
			c := newClient(slurm.run)
			for i, want := range []struct {
				after time.Duration
				say   string
				asked int
				known int
			}{
				{0, tree, 1, 3},
				{topologyEvery, step.say, 1, step.known},
				{step.again - time.Second, tree, 0, step.known},
				{time.Second, tree, 1, 3},
			} {
				time.Sleep(want.after)
				slurm.topology = want.say
				answer, err := askAll(t, c)
				if err != nil {
					t.Fatal(err)
				}
				if asked := slurm.topologies(); asked != want.asked || len(answer.Switches) != want.known {
					t.Errorf("%q, step %d: asked %d times, %d switches; want %d and %d", step.say, i, asked,
						len(answer.Switches), want.asked, want.known)
				}
			}
		})
	}
}

// The topology is no question about the jobs: it comes after them, and nobody who waits for them waits for it.
func TestTopologyIsNoQuestionAboutJobs(t *testing.T) {
	slurm := &fakeSlurm{records: wide("09"), gres: map[string]string{"1": shownJob("1", "node01", "gpu:1(IDX:0)")},
		topology: string(recordedTopology(t, "tree.txt"))}
	c := newClient(slurm.run)
	answer, err := c.Ask(t.Context())
	for err == nil && answer.More {
		answer, err = c.Next(t.Context())
	}
	if err != nil || slurm.topologies() != 0 || !answer.Topology || answer.Jobs[0].Minors == nil {
		t.Fatalf("before the topology: %+v, %v", answer, err)
	}
	if answer, err = c.Next(t.Context()); err != nil || slurm.topologies() != 1 || answer.Topology || answer.More ||
		len(answer.Switches) != 3 {
		t.Errorf("with the topology: %+v, %v", answer, err)
	}
}

// recordedTopology returns a file of recorded output.
func recordedTopology(t testing.TB, name string) []byte {
	t.Helper()
	out, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
