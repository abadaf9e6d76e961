package source

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// counted is a controller with a job of GPUs, which counts the questions.
type counted struct{ squeue, scontrol int }

func (c *counted) run(_ context.Context, argv ...string) (stdout, stderr []byte, err error) {
	if argv[0] != "squeue" {
		c.scontrol++
		return []byte("JobId=7 JobName=train\n   UserId=alice(1)\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:2(IDX:0-1)\n"), nil, nil
	}
	c.squeue++
	format := strings.TrimPrefix(argv[len(argv)-1], "--format=")
	return []byte(strings.NewReplacer("%i", "7", "%A", "7", "%t", "R", "%N", "n1", "%D", "1", "%j", "train", "%S",
		"2000-01-01T00:00:00", "%b", "gpu:2").Replace(format)), nil, nil
}

// printed is what a program that prints once knows at its end, after some seconds.
func printed(t *testing.T, c *counted, answers *command.KeptAnswers, maxAge time.Duration,
	job string) (d cluster.Discovery) {
	t.Helper()
	l := NewLive(slurm.New(c.run), newNetwork().manager(), "alice", "login1")
	l.Floor, l.Job, l.Answers, l.Heard = 5*time.Second, job, answers, Kept(answers, maxAge, job)
	if maxAge == 0 {
		l.Answers = nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := l.Run(ctx, func(e cluster.Event) {
		if e.Discovery != nil {
			d = *e.Discovery
		}
	}); err != nil {
		t.Error(err)
	}
	return d
}

// A status line that runs every 5 s asks SLURM twice a minute, and all its questions as often. What it prints says how
// old the answer is.
func TestStatusLine(t *testing.T) {
	for maxAge, want := range map[time.Duration]int{30 * time.Second: 2, 0: 12, 4 * time.Second: 12, time.Minute: 1} {
		answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"), "alice")
		synctest.Test(t, func(t *testing.T) {
			c, began := &counted{}, time.Now()
			var answered time.Time
			for i := range 12 {
				time.Sleep(time.Until(began.Add(time.Duration(i) * 5 * time.Second)))
				before := c.squeue
				d := printed(t, c, answers, maxAge, "7")
				if before < c.squeue {
					answered = d.Answered
				}
				age := time.Since(d.Answered)
				if !d.Answered.Equal(answered) || maxAge > 0 && age > maxAge+3*time.Second || d.Asking ||
					len(d.Jobs) != 1 || d.Jobs[0].Counts["n1"] != 2 {
					t.Errorf("%v: at second %d %+v", maxAge, i*5, d)
				}
			}
			if c.squeue != want || c.scontrol%want != 0 || c.scontrol > 2*want {
				t.Errorf("%v: squeue ran %d times in a minute, want %d, scontrol %d times", maxAge, c.squeue, want, c.scontrol)
			}
		})
	}
}

// An answer without the wanted job is none, and neither is one with a node that is no name of a host.
func TestKeptJobs(t *testing.T) {
	answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	keep := func(d cluster.Discovery) {
		t.Helper()
		if err := KeepJobs(answers, &d); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	good := cluster.Discovery{Asked: now, Answered: now.Add(-10 * time.Second),
		Jobs: []cluster.Job{{ID: "2_1", Number: "16", Nodes: []string{"n1"}}}}
	keep(good)
	for job, want := range map[string]bool{"": true, "16": true, "2": true, "2_1": true, "2_2": false, "train": false} {
		if heard := Kept(answers, time.Minute, job); (heard != nil) != want || want && !heard.At.Equal(good.Answered) {
			t.Errorf("job %q: %+v", job, heard)
		}
	}
	for name, spoil := range map[string]func(*cluster.Discovery){
		"open questions":  func(d *cluster.Discovery) { d.Asking = true },
		"no answer yet":   func(d *cluster.Discovery) { d.Answered = time.Time{} },
		"from the future": func(d *cluster.Discovery) { d.Answered = now.Add(time.Minute) },
		"too old":         func(d *cluster.Discovery) { d.Answered = now.Add(-time.Minute) },
		"an option":       func(d *cluster.Discovery) { d.Jobs = []cluster.Job{{ID: "1", Nodes: []string{"-oProxyCommand=x"}}} },
	} {
		bad := good
		spoil(&bad)
		if keep(bad); Kept(answers, time.Minute, "") != nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if keep(good); Kept(answers, 0, "") != nil || Kept(answers, 5*time.Second, "") != nil {
		t.Error("it is older than allowed")
	}
}
