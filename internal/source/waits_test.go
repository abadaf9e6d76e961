package source

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// shownWaiting is what scontrol says about a job that waits.
const shownWaiting = "JobId=7 JobName=x\n   UserId=alice(1) GroupId=alice(1)\n   Priority=4 Nice=0\n" +
	"   JobState=PENDING Reason=Priority Dependency=(null)\n   TimeLimit=01:00:00 X=1\n   Partition=gpu A=1\n" +
	"   NumNodes=2-2 NumTasks=2\n\n"

// Run answers only scontrol, so four commands run.
func (c *controller) Run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	var at []time.Duration
	_, err = c.command(ctx, &at, func() { c.waits = append(c.waits, at[0]) })
	if argv[0] == "scontrol" {
		stdout = []byte(shownWaiting)
	}
	return stdout, nil, err
}

// Why a job waits is asked with one command at a time, between the other questions and with rests. Soon after it the
// same answer is returned, and no other job is asked about.
func TestWhyAJobWaits(t *testing.T) {
	c := &controller{took: sec}
	discover(t, c, func(d *discoverer) {
		w := waits{run: d.runInTurn, floor: func() time.Duration { return 10 * sec }}
		c.at(sec) // squeue runs until 1 s
		first, err := w.askWhy(context.Background(), "7")
		if err != nil || first.Reason != "Priority" || len(c.waits) != 4 {
			t.Fatalf("%+v, %v, asked at %v", first, err, c.waits)
		}
		for i := 1; i < len(c.waits); i++ {
			if c.waits[i]-c.waits[i-1] < 2*sec {
				t.Errorf("no rest for the controller: commands at %v", c.waits)
			}
		}
		if again, err := w.askWhy(context.Background(), "7"); again != first || err != nil || len(c.waits) != 4 {
			t.Errorf("asked again at once: %v, %v", c.waits, err)
		}
		if _, err := w.askWhy(context.Background(), "8"); err == nil || len(c.waits) != 4 ||
			err.Error() != "SLURM was just asked about job 7: ask again in 10s" {
			t.Errorf("asked about another job at once: %v, %v", c.waits, err)
		}
		c.at(c.waits[3] + 12*sec)
		if again, err := w.askWhy(context.Background(), "7"); again == first || err != nil || len(c.waits) != 8 {
			t.Errorf("not asked again: %v, %v", c.waits, err)
		}
	})
}

// Of an array, the part that waits is asked about by the number of the array.
func TestWhyAnArrayWaits(t *testing.T) {
	var asked []string
	l := &Live{waits: waits{floor: func() time.Duration { return 0 },
		run: func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			asked = append(asked, strings.Join(argv, " "))
			return []byte("unexpected"), nil, nil
		}}}
	if w, err := l.Waiting(t.Context(), "48377_[5-999%10]"); w != nil || err == nil ||
		!slices.Equal(asked, []string{"scontrol show job 48377"}) {
		t.Errorf("%v, %v, asked %q", w, err, asked)
	}
}
