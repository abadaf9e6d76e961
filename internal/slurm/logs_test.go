package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// logRecord is a job as scontrol shows it.
func logRecord(head, tail string) string {
	return head + "\n   UserId=alice(20001) GroupId=alice(20001) MCS_label=N/A\n   JobState=RUNNING Reason=None\n" +
		"   StartTime=2026-11-20T18:22:36 EndTime=2026-11-20T19:22:36 Deadline=N/A\n   NodeList=node01\n" +
		"   BatchHost=node01\n   WorkDir=/home/alice/my runs\n" + tail + "   Power=\n\n"
}

func files(out, err string) string {
	return "   StdErr=" + err + "\n   StdIn=/dev/null\n   StdOut=" + out + "\n"
}

func TestLogs(t *testing.T) {
	array := "JobId=16 ArrayJobId=2 ArrayTaskId=13 ArrayTaskThrottle=3 JobName=arr"
	het := logRecord("JobId=3 HetJobId=3 HetJobOffset=0 JobName=het", files("/o-3", "/e-3")) +
		logRecord("JobId=4 HetJobId=3 HetJobOffset=1 JobName=het", files("/o-4", "/e-4"))
	for _, test := range []struct{ job, shown, out, err string }{
		{"1", logRecord("JobId=1 JobName=a b  c", files("/home/a/slurm-1.out", "/home/a/slurm-1.out")),
			"/home/a/slurm-1.out", "/home/a/slurm-1.out"},
		{"2_13", logRecord(array, files("/o-2_13", "/e-2_13")), "/o-2_13", "/e-2_13"},
		{"16", logRecord(array, files("/o", "/e")), "/o", "/e"},
		{"3", het, "/o-3", "/e-3"},
		{"3+1", het, "/o-4", "/e-4"},
		{"5", logRecord("JobId=5 JobName=x", ""), "", ""},
		{"5", logRecord("JobId=5 JobName=x", files("(null)", "(null)")), "", ""},
		{"5", logRecord("JobId=5 JobName=x", "   StdOut=/o\n"), "/o", "/o"},
		// as newer versions show them
		{"5", logRecord("JobId=5 JobName=train x", files("logs/%x-%j.out", "%u/%6j_%N.%%")),
			"/home/alice/my runs/logs/train x-5.out", "/home/alice/my runs/alice/000005_node01.%"},
		{"2_13", logRecord(array, files("/%A_%4a_%b", "/%A%a%99j")), "/2_0013_3", "/2130000000016"},
		{"5", logRecord("JobId=5 JobName=x", files("/%A_%a", "/%q%")), "/5_4294967294", "/%q%"},
		{"5", logRecord("JobId=5 JobName=x", files(`/a\%j`, "/100%5")), "/a%j", "/100%5"},
	} {
		c := New(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			if strings.Join(argv, " ") != "scontrol show job "+test.job {
				t.Errorf("%q is run", argv)
			}
			return []byte(test.shown), nil, nil
		})
		got, err := c.Logs(t.Context(), test.job)
		if err != nil {
			t.Errorf("%s: %v", test.job, err)
			continue
		}
		start := time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC).Local()
		if want := (cluster.LogFiles{Number: got.Number, Out: test.out, Err: test.err, Host: "node01", User: "alice",
			Start: start}); *got != want ||
			!strings.Contains(test.shown, "JobId="+got.Number+" ") {
			t.Errorf("%s:\n%+v, want\n%+v", test.shown, *got, want)
		}
	}
}

// A name that looks like other lines names no file.
func TestNoLogs(t *testing.T) {
	for name, test := range map[string]struct{ job, shown, stderr, want string }{
		"forged file":   {"1", logRecord("JobId=1 JobName=a\n   StdOut=/x", files("/o", "/e")), "", "two values of StdOut"},
		"forged record": {"1", logRecord("JobId=1 JobName=a\nJobId=1 x=y", files("/o", "/e")), "", "shows job 1 twice"},
		"array": {"2", logRecord("JobId=16 ArrayJobId=2 ArrayTaskId=1 JobName=arr", files("/o", "/e")), "",
			"job 2 is an array"},
		"another job": {"7", logRecord("JobId=1 JobName=a", files("/o", "/e")), "", "shows no job 7"},
		"nothing":     {"7", "", "", "shows no job 7"},
		"forgotten":   {"7", "", "slurm_load_jobs error: Invalid job id specified", "Invalid job id"},
		"option":      {"--help", "", "", "not the id of a job"},
		"pending":     {"2_[3-10]", "", "", "not the id of a job"},
	} {
		c := New(func(context.Context, ...string) ([]byte, []byte, error) {
			if test.stderr != "" {
				return nil, []byte(test.stderr), errors.New("exit status 1")
			}
			return []byte(test.shown), nil, nil
		})
		got, err := c.Logs(t.Context(), test.job)
		f, is := errors.AsType[*reach.Failure](err)
		if got != nil || !is || !strings.Contains(f.Cause, test.want) || len(f.Hints) == 0 {
			t.Errorf("%s: %+v, %+v, want %q", name, got, err, test.want)
		}
	}
}
