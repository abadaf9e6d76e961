package slurm

import (
	"context"
	"errors"
	"testing"
)

// What the controller has named once is remembered.
func TestLogsAreRemembered(t *testing.T) {
	forgotten := false
	c := New(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
		if forgotten {
			return nil, []byte("slurm_load_jobs error: Invalid job id specified"), errors.New("exit status 1")
		}
		return []byte("JobId=16 ArrayJobId=2 ArrayTaskId=13 JobName=x\n   UserId=alice(20001)\n" +
			"   StdErr=/e\n   StdIn=/dev/null\n   StdOut=/o\n\n"), nil, nil
	})
	if _, err := c.showJob(t.Context(), "2"); err != nil { // for its GPUs
		t.Fatal(err)
	}
	forgotten = true
	for _, job := range []string{"2_13", "16"} {
		if got, err := c.Logs(t.Context(), job); err != nil || got.Out != "/o" {
			t.Errorf("%s: %+v, %v", job, got, err)
		}
	}
	if got, err := c.Logs(t.Context(), "2_1"); err == nil {
		t.Errorf("another task: %+v", got)
	}
}

// Of a job whose GPUs were asked for, the files are known without another question.
func TestKnownLogs(t *testing.T) {
	asked := 0
	c := New(func(context.Context, ...string) ([]byte, []byte, error) {
		asked++
		return []byte("JobId=16 ArrayJobId=2 ArrayTaskId=13 JobName=x\n   UserId=alice(20001)\n" +
			"   StdErr=/e\n   StdIn=/dev/null\n   StdOut=/o\n\n"), nil, nil
	})
	if _, err := c.showJob(t.Context(), "2"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.KnownLogs(t.Context(), "2_13"); err != nil || got.Out != "/o" || asked != 1 {
		t.Errorf("%+v, %v, asked %d times", got, err, asked)
	}
	if _, err := c.KnownLogs(t.Context(), "7"); err == nil || asked != 2 {
		t.Errorf("another job: %v, asked %d times", err, asked)
	}
}
