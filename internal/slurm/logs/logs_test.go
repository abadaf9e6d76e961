package logs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
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

func newFinder(run command.Runner) *Finder { return &Finder{Run: run} }

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
		{"3+0", het, "/o-3", "/e-3"},
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
		f := newFinder(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			if strings.Join(argv, " ") != "scontrol show job "+test.job {
				t.Errorf("%q is run", argv)
			}
			return []byte(test.shown), nil, nil
		})
		got, err := f.Find(t.Context(), test.job)
		if err != nil {
			t.Errorf("%s: %v", test.job, err)
			continue
		}
		start := time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC).Local()
		if want := (cluster.LogFiles{ID: got.ID, Number: got.Number, Out: test.out, Err: test.err, Host: "node01", User: "alice",
			Start: start}); *got != want ||
			!strings.Contains(test.shown, "JobId="+got.Number+" ") || got.ID != test.job && got.Number != test.job {
			t.Errorf("%s:\n%+v, want\n%+v", test.shown, *got, want)
		}
	}
}

// A name that looks like other lines names no file.
func TestNoLogs(t *testing.T) {
	for name, test := range map[string]struct{ job, shown, stderr, want string }{
		"forged state": {"1", logRecord("JobId=1 JobName=a\n   JobState=FAILED", files("/o", "/e")), "",
			"two values of JobState of job 1: its JobName has lines like those of scontrol"},
		"forged record": {"1", logRecord("JobId=1 JobName=a\n\nJobId=1 JobName=x", files("/o", "/e")), "",
			"shows job 1 twice"},
		"forged record of another job": {"1", logRecord("JobId=1 JobName=a", "   Requeue=1 Restarts=0 BatchFlag=1\n"+
			"   SubmitLine=sbatch --wrap a\n\nJobId=7 JobName=x\n"+files("/o", "/e")), "", "ends before its files"},
		"forged directory": {"1", logRecord("JobId=1 JobName=a", "   Command=/x.sh\n   WorkDir=/a\n"+
			"   Comment=x\n   WorkDir=/b\n"+files("o", "e")), "",
			"two values of WorkDir of job 1: its Command or Comment has lines like those of scontrol"},
		"forged files": {"1", logRecord("JobId=1 JobName=a", files("/o", "/e")+"   BurstBuffer=#BB x\n"+
			files("/x", "/y")), "", "two values of StdOut of job 1: its JobName or BurstBuffer has lines"},
		"array": {"2", logRecord("JobId=16 ArrayJobId=2 ArrayTaskId=1 JobName=arr", files("/o", "/e")), "",
			"job 2 is an array: name a task of it, such as 2_1"},
		"array by the number of its last task": {"2", logRecord("JobId=2 ArrayJobId=2 ArrayTaskId=4 JobName=arr",
			files("/o", "/e")) + logRecord("JobId=3 ArrayJobId=2 ArrayTaskId=3 JobName=arr", files("/o", "/e")), "",
			"job 2 is an array: name a task of it, such as 2_4"},
		"waiting array": {"2", logRecord("JobId=2 ArrayJobId=2 ArrayTaskId=3-5%2 JobName=arr", files("/o", "/e")), "",
			"job 2 is an array: name a task of it, such as 2_3"},
		"another job": {"7", logRecord("JobId=1 JobName=a", files("/o", "/e")), "", "shows no job 7"},
		"nothing":     {"7", "", "", "shows no job 7"},
		"forgotten": {"7", "", "slurm_load_jobs error: Invalid job id specified",
			"by default slurm-7.out"},
		"option":  {"--help", "", "", "not the id of a job"},
		"pending": {"2_[3-10]", "", "", "not the id of a job"},
	} {
		f := newFinder(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			switch {
			case argv[0] == "sacct":
				return nil, []byte("Slurm accounting storage is disabled"), errors.New("exit status 1")
			case test.stderr != "":
				return nil, []byte(test.stderr), errors.New("exit status 1")
			}
			return []byte(test.shown), nil, nil
		})
		got, err := f.Find(t.Context(), test.job)
		failed, is := errors.AsType[*reach.Failure](err)
		if got != nil || !is || !strings.Contains(failed.Cause, test.want) || len(failed.Hints) > 0 {
			t.Errorf("%s: %+v, %+v, want %q", name, got, err, test.want)
		}
	}
}

// A job that waits has files, and SLURM's reason.
func TestLogsOfAWaitingJob(t *testing.T) {
	pending := strings.NewReplacer("RUNNING Reason=None", "PENDING Reason=Priority", "BatchHost=node01", "BatchHost=")
	f := newFinder(func(context.Context, ...string) ([]byte, []byte, error) {
		return []byte(pending.Replace(logRecord("JobId=7 JobName=x", files("/o", "/e")))), nil, nil
	})
	got, err := f.Find(t.Context(), "7")
	start := time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC).Local()
	if want := (cluster.LogFiles{ID: "7", Number: "7", Out: "/o", Err: "/e", User: "alice", Waits: "Priority",
		Expected: start}); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
	pending = strings.NewReplacer("RUNNING Reason=None", "PENDING Reason=JobHeldUser\n   Priority=0 Nice=0")
	if got, err = f.Find(t.Context(), "7"); err != nil || got.Waits != "JobHeldUser" || !got.Expected.IsZero() {
		t.Errorf("held: %+v, %v", got, err)
	}
}

// A task that waits in the record of its array has files with its own number, as far as they are known.
func TestLogsOfAWaitingTask(t *testing.T) {
	pending := strings.NewReplacer("RUNNING Reason=None", "PENDING Reason=Priority", "BatchHost=node01", "BatchHost=")
	shown := pending.Replace(logRecord("JobId=100 ArrayJobId=100 ArrayTaskId=3-10%2 JobName=x",
		files("/o-%A_%a-%j", "/e-100_4294967294")))
	f := newFinder(func(context.Context, ...string) ([]byte, []byte, error) { return []byte(shown), nil, nil })
	got, err := f.Find(t.Context(), "100_5")
	if err != nil || got.ID != "100_5" || got.Out != "/o-100_5-%j" || got.Err != "/e-100_5" || got.Waits != "Priority" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := f.Find(t.Context(), "100_11"); err == nil || !strings.Contains(err.Error(), "job 100 has no task 11") {
		t.Errorf("%+v, %v", got, err)
	}
}

// A task that an array lacks is said to be missing, however scontrol says so.
func TestLogsOfNoTask(t *testing.T) {
	array := logRecord("JobId=46 ArrayJobId=46 ArrayTaskId=1 JobName=x", files("/o", "/e"))
	for title, test := range map[string]struct{ out, stderr, shown, want string }{
		"22.05":    {"Job 46_9 not found\n", "", array, "no log: job 46 has no task 9"},
		"26.05":    {"", "Job 46_9 not found\n", array, "no log: job 46 has no task 9"},
		"another":  {"", "slurm_load_jobs error: Invalid job id specified\n", array, "no log: job 46 has no task 9"},
		"a later":  {"", "no such array task\n", array, "no log: job 46 has no task 9"},
		"no array": {"Job 46_9 not found\n", "", logRecord("JobId=46 JobName=x", ""), "has no task 9: it is not an array"},
		"no job":   {"", "slurm_load_jobs error: Invalid job id specified\n", "", "SLURM does not know the job"},
		"no words": {"", "", "", "scontrol failed: exit status 1"},
		"away": {"", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", array,
			"slurmctld not responding"},
	} {
		f := newFinder(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			switch command := strings.Join(argv, " "); {
			case argv[0] == "sacct":
				return nil, nil, nil
			case command == "scontrol show job 46" && test.shown != "":
				return []byte(test.shown), nil, nil
			}
			return []byte(test.out), []byte(test.stderr), errors.New("exit status 1")
		})
		l, err := f.Find(t.Context(), "46_9")
		if l != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %+v, %v, want %q", title, l, err, test.want)
		}
	}
}

// A job that was requeued has run before; one that was canceled before it ran has no log.
func TestLogsOfJobsThatRanBefore(t *testing.T) {
	for name, test := range map[string]struct {
		state, restarts, host string
		again, unused         bool
	}{
		"waits": {"PENDING", "0", "", false, false}, "requeued": {"PENDING", "1", "", true, false},
		"canceled": {"CANCELLED", "0", "", false, true}, "canceled after a run": {"CANCELLED", "2", "", true, false},
		"canceled while it ran": {"CANCELLED", "0", "node01", false, false}, "forged": {"PENDING", "x", "", false, false},
	} {
		as := strings.NewReplacer("JobState=RUNNING", "JobState="+test.state, "BatchHost=node01", "BatchHost="+test.host)
		f := newFinder(func(context.Context, ...string) ([]byte, []byte, error) {
			return []byte(as.Replace(logRecord("JobId=7 JobName=x", files("/o", "/e")+"   Requeue=1 Restarts="+
				test.restarts+" BatchFlag=1\n"))), nil, nil
		})
		if got, err := f.Find(t.Context(), "7"); err != nil || got.Again != test.again || got.Unused != test.unused {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// old is a SLURM whose controller has forgotten all jobs. rows are those of sacct, which does not know some fields.
func old(t *testing.T, rows []map[string]string, unknown ...string) *Finder {
	return newFinder(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
		if argv[0] == "scontrol" {
			return nil, []byte("slurm_load_jobs error: Invalid job id specified"), errors.New("exit status 1")
		}
		_, mark, _ := strings.Cut(argv[4], "=")
		_, list, is := strings.Cut(argv[6], "--format=")
		if argv[0] != "sacct" || !is {
			t.Errorf("%q is run", argv)
		}
		var out strings.Builder
		for _, r := range rows {
			for i, f := range strings.Split(list, ",") {
				if slices.Contains(unknown, f) {
					return nil, []byte("sacct: error: Invalid field requested: \"" + f + "\""), errors.New("exit status 1")
				}
				if i > 0 {
					out.WriteString(mark)
				}
				out.WriteString(r[f])
			}
			out.WriteByte('\n')
		}
		return []byte(out.String()), nil, nil
	})
}

// The log of a job that the controller has forgotten is where the accounts say, or where it is likely.
func TestLogsOfAForgottenJob(t *testing.T) {
	row := func(id, raw, out, line string) map[string]string {
		return map[string]string{"JobID": id, "JobIDRaw": raw, "User": "alice", "Start": "2026-11-20T18:22:36",
			"NodeList": "node[03-04]", "WorkDir": "/home/alice", "JobName": "a\nb", "StdOut": out, "SubmitLine": line}
	}
	two := func(r map[string]string) []map[string]string {
		return []map[string]string{row("6", "6", "/other", ""), r, row("8", "8", "/other", "")}
	}
	noNames := []string{"StdOut", "StdErr"}
	for name, test := range map[string]struct {
		job     string
		rows    []map[string]string
		unknown []string
		out     string
		guessed bool
		failing string // sacct, with these words
		err     string
	}{
		"named": {job: "7", rows: two(row("7", "7", "logs/%x-%j.out", "sbatch -o no.out x.sh")),
			out: "/home/alice/logs/a\nb-7.out"},
		"task":          {job: "2_13", rows: two(row("2_13", "16", "%A_%a", "")), out: "/home/alice/2_13"},
		"component":     {job: "3+1", rows: two(row("3+0", "3", "%j", "")), out: "/home/alice/3"},
		"by its number": {job: "16", rows: two(row("2_13", "16", "%A_%a", "")), out: "/home/alice/2_13"},
		"command": {job: "7", rows: two(row("7", "7", "", "sbatch -N 2 --gres gpu:1 -o /l/%j x.sh -o model.pt")),
			unknown: noNames, out: "/l/7", guessed: true},
		"usual": {job: "7", rows: two(row("7", "7", "", "sbatch --requeue --mem=5G -N2 x.sh -o model.pt")),
			unknown: noNames, out: "/home/alice/slurm-7.out", guessed: true},
		"usual of a task": {job: "2_13", rows: two(row("2_13", "16", "", "/opt/bin/sbatch x.sh")),
			unknown: noNames, out: "/home/alice/slurm-2_13.out", guessed: true},
		"old sacct": {job: "7", rows: two(row("7", "7", "", "")),
			unknown: append([]string{"SubmitLine"}, noNames...), out: "/home/alice/slurm-7.out", guessed: true},
		"no script":   {job: "7", rows: two(row("7", "7", "", "srun python x.py")), unknown: noNames},
		"an array":    {job: "2", rows: two(row("2_13", "16", "%A_%a", "")), err: "such as 2_13"},
		"nobody's":    {job: "7", rows: nil, err: "SLURM does not know the job"},
		"no accounts": {job: "7", rows: two(row("7", "7", "", "")), unknown: oldFields, err: "by default slurm-7.out"},
		"disabled":    {job: "7", failing: "Slurm accounting storage is disabled", err: "by default slurm-7.out"},
		"no answer":   {job: "7", failing: "sacct: error: slurmdbd is away", err: "sacct failed: slurmdbd is away"},
	} {
		f := old(t, test.rows, test.unknown...)
		if run := f.Run; test.failing != "" {
			f.Run = func(ctx context.Context, argv ...string) ([]byte, []byte, error) {
				if argv[0] == "sacct" {
					return nil, []byte(test.failing), errors.New("exit status 1")
				}
				return run(ctx, argv...)
			}
		}
		got, err := f.Find(t.Context(), test.job)
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		case err != nil || got.Out != test.out || got.Guessed != test.guessed || got.Host != "node03" ||
			got.User != "alice" || got.ID != strings.Replace(test.job, "+1", "+0", 1) && got.Number != test.job:
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// The output of a component of a heterogeneous job goes to the file of the first one: only that has a batch script.
func TestLogsOfAComponent(t *testing.T) {
	f := newFinder(func(_ context.Context, argv ...string) ([]byte, []byte, error) {
		first := logRecord("JobId=3 HetJobId=3 HetJobOffset=0 JobName=het", files("/o-3", "/e-3"))
		if argv[3] == "4" {
			first = ""
		}
		return []byte(first + logRecord("JobId=4 HetJobId=3 HetJobOffset=1 JobName=het", files("/o-4", "/e-4"))), nil, nil
	})
	for _, job := range []string{"3", "3+0", "3+1", "4"} {
		if got, err := f.Find(t.Context(), job); err != nil || got.Out != "/o-3" {
			t.Errorf("%s: %+v, %v", job, got, err)
		}
	}
}
