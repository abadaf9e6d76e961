package slurm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// showEnded is the output of `scontrol show job` about an ended job.
func showEnded(number, name, state, exit string) string {
	return fmt.Sprintf("JobId=%s ArrayJobId=2 ArrayTaskId=2 JobName=%s\n   UserId=alice(20001) GroupId=alice(20001) "+
		"MCS_label=N/A\n"+
		"   JobState=%s Reason=NonZeroExitCode Dependency=(null)\n   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 "+
		"ExitCode=%s\n   DerivedExitCode=0:0\n"+
		"   StartTime=2026-11-20T18:22:36 EndTime=2026-11-20T18:40:00 Deadline=N/A\n   Comment=JobState=RUNNING "+
		"ExitCode=9:9\n\n", number, name, state, exit)
}

// books is a cluster with accounting: the output of sacct, or its failure.
type books struct {
	fakeSlurm
	sacct string
	stop  error
	shows map[string]string // output of `scontrol show job`, by ID
}

func (b *books) run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	line := strings.Join(argv, " ")
	switch {
	case argv[0] == "sacct" && b.stop != nil:
		b.asked = append(b.asked, line)
		return nil, []byte(b.stop.Error()), b.stop
	case argv[0] == "sacct":
		b.asked = append(b.asked, line)
		return []byte(b.sacct), nil, nil
	case strings.HasPrefix(line, "scontrol show job ") && argv[3] != "-d":
		b.asked = append(b.asked, line)
		if said, ok := b.shows[argv[3]]; ok {
			return []byte(said), nil, nil
		}
		return nil, []byte("slurm_load_jobs error: Invalid job id specified\n"), errors.New("exit status 1")
	}
	return b.fakeSlurm.run(ctx, argv...)
}

func running(id, number, node string) record {
	return record{id: id, number: number, state: "R", partition: "gpu", user: "alice", start: startedAt, nodelist: node,
		nodes: "1", name: "job " + id}
}

// oneAndTwo has a job and two tasks of an array.
func oneAndTwo() *books {
	return &books{fakeSlurm: fakeSlurm{
		records: []record{running("1", "1", "n1"), running("2_1", "16", "n2"), running("2_2", "17", "n2")},
		gres:    map[string]string{"1": shownJob("1", "n1", "gpu:a100:4(IDX:0-3)"), "2": ""},
	}}
}

// ends are jobs that have ended in a few words: "2_1 FAILED 3:0 4 GPUs".
func ends(answer *Answer) (words []string) {
	for _, e := range answer.Ended {
		s := e.ID + " " + string(e.State)
		if e.Exit != nil {
			s += fmt.Sprintf(" %d:%d", e.Exit.Code, e.Exit.Signal)
		}
		if e.GPUs != nil {
			s += fmt.Sprintf(" %d GPUs", *e.GPUs)
		}
		words = append(words, s)
	}
	return words
}

// saidOf are the commands about how jobs have ended.
func (b *books) saidOf() []string {
	return slices.DeleteFunc(b.since(), func(line string) bool {
		return !strings.HasPrefix(line, "sacct") && (!strings.HasPrefix(line, "scontrol show job") ||
			strings.Contains(line, " -d "))
	})
}

// The end of each job is asked once: sacct about all jobs in one call, then scontrol about those that sacct does not
// know.
func TestEnded(t *testing.T) {
	const accounts = "sacct --allocations --noheader --parsable2 --jobs=1,2_1,2_2 " +
		"--format=JobIDRaw,State,ExitCode,Start,End"
	const steps = "sacct --noheader --parsable2 --jobs=16 --format=JobIDRaw,State,ExitCode"
	disabled := errors.New("sacct: error: Slurm accounting storage is disabled\n")
	for _, test := range []struct {
		name  string
		books func(b *books)
		asked []string
		ends  []string
	}{
		{
			"all in one call", func(b *books) {
				b.sacct = "1|COMPLETED|0:0|2026-11-20T18:22:36|2026-11-20T18:40:00\n16|FAILED|3:0|Unknown|Unknown\n17|CANCELLED by 20001|0:15|x|y\n99|FAILED|1:0|x|y\n"
			},
			[]string{accounts, steps}, []string{"1 COMPLETED 0:0 4 GPUs", "2_1 FAILED 3:0", "2_2 CANCELLED 0:15"},
		},
		{
			"sacct lags behind", func(b *books) {
				b.sacct = "1|RUNNING|0:0|x|Unknown\n17|TIMEOUT|0:0|x|y\n"
				b.shows = map[string]string{"1": showEnded("1", "x", "OUT_OF_MEMORY", "0:125"),
					"2_1": showEnded("16", "x", "FAILED", "3:0")}
			},
			[]string{accounts, "scontrol show job 1", "scontrol show job 2_1", steps},
			[]string{"1 OUT_OF_MEMORY 4 GPUs", "2_1 FAILED 3:0", "2_2 TIMEOUT 0:0"},
		},
		{
			"no accounting", func(b *books) {
				b.stop = disabled
				b.shows = map[string]string{"2": showEnded("16", "x", "FAILED", "3:0") +
					showEnded("17", "x", "COMPLETED", "0:0")}
			},
			[]string{accounts, "scontrol show job 1", "scontrol show job 2"},
			[]string{"1  4 GPUs", "2_1 FAILED 3:0", "2_2 COMPLETED 0:0"},
		},
		{
			"nobody knows", func(b *books) { b.stop = exec.ErrNotFound },
			[]string{accounts, "scontrol show job 1", "scontrol show job 2"}, []string{"1  4 GPUs", "2_1 ", "2_2 "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := oneAndTwo()
			test.books(b)
			c := newClient(b.run)
			if answer, err := askAll(t, c); err != nil || len(answer.Ended) != 0 {
				t.Fatalf("%v, ended %q", err, ends(answer))
			}
			b.records, b.asked = nil, nil
			answer, err := askAll(t, c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.asked, b.saidOf()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.ends, ends(answer)); diff != "" {
				t.Errorf("ended (-want +got):\n%s", diff)
			}
			answer, _ = askAll(t, c)
			if again := b.saidOf(); len(again) != 0 || len(answer.Ended) != 3 {
				t.Errorf("asked again %q, %d jobs", again, len(answer.Ended))
			}
		})
	}
}

// After a failure for lack of accounting, sacct is not asked again; after any other failure, later.
func TestSacctFails(t *testing.T) {
	for words, after := range map[string]time.Duration{"sacct: error: Slurm accounting storage is disabled": 0,
		"sacct: error: Problem talking to the database: Connection refused": 70 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := oneAndTwo()
			b.stop = errors.New(words)
			c := newClient(b.run)
			asks := func() bool {
				b.asked = nil
				if _, err := askAll(t, c); err != nil {
					t.Fatal(err)
				}
				return slices.ContainsFunc(b.asked, func(line string) bool { return strings.HasPrefix(line, "sacct") })
			}
			asks()
			for i, test := range []struct {
				wait time.Duration
				asks bool
			}{{0, true}, {30 * time.Second, false}, {40 * time.Second, after > 0}} {
				time.Sleep(test.wait)
				b.records = b.records[1:]
				if got := asks(); got != test.asks {
					t.Errorf("%s: job %d: sacct is asked: %v", words, i, got)
				}
			}
		})
	}
}

// An ending job is listed; its end is asked when it is gone. A job that waits again, or runs again, has not ended.
func TestEndingJobs(t *testing.T) {
	b := oneAndTwo()
	b.sacct = "1|COMPLETED|0:0|x|y\n"
	c := newClient(b.run)
	ask := func(want ...string) {
		t.Helper()
		answer, err := askAll(t, c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ends(answer)); diff != "" {
			t.Errorf("ended (-want +got):\n%s", diff)
		}
	}
	b.records = append(b.records, record{id: "7", number: "7", state: "CG", nodes: "2", gres: "gres:gpu:4",
		nodelist: "n8"})
	ask("7 COMPLETING 8 GPUs")
	b.records[0].state, b.records[1].state = "CG", "PD"
	ask("7 COMPLETING 8 GPUs", "1 COMPLETING 4 GPUs")
	if asked := b.saidOf(); len(asked) != 0 {
		t.Errorf("asked %q about jobs that are still listed", asked)
	}
	b.records = b.records[1:3]
	ask("7  8 GPUs", "1 COMPLETED 0:0 4 GPUs")
	b.records = append(b.records, running("7", "7", "n3"))
	b.gres["7"] = ""
	ask("1 COMPLETED 0:0 4 GPUs")
}

// At most the fifty latest are kept, for an hour.
func TestEndedAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := oneAndTwo()
		c := newClient(b.run)
		for i := range 70 {
			b.records = append(b.records, running(fmt.Sprint(100+i), fmt.Sprint(100+i), "n4"))
			b.gres[fmt.Sprint(100+i)] = ""
		}
		_, _ = askAll(t, c)
		time.Sleep(time.Minute)
		b.records = b.records[3:]
		_, _ = askAll(t, c) // the first three end
		time.Sleep(time.Minute)
		b.records = b.records[40:]
		answer, _ := askAll(t, c)
		if got := ends(answer); len(got) != 43 || got[0] != "100 " || got[42] != "2_2 " {
			t.Errorf("%d ended: %q", len(got), got)
		}
		time.Sleep(57 * time.Minute)
		b.records = b.records[20:]
		if answer, _ = askAll(t, c); len(answer.Ended) != 50 || answer.Ended[0].ID != "140" ||
			answer.Ended[49].ID != "129" {
			t.Errorf("%d ended: %q", len(answer.Ended), ends(answer))
		}
		time.Sleep(4 * time.Minute)
		if answer, _ = askAll(t, c); len(answer.Ended) != 20 {
			t.Errorf("%d are kept after an hour", len(answer.Ended))
		}
	})
}

// The tasks of an array that end at once are all told, after one question to sacct, and soon the last fifty are left.
// Without accounts the controller is asked about few.
func TestManyEndAtOnce(t *testing.T) {
	for name, accounts := range map[string]bool{"accounts": true, "no accounts": false} {
		synctest.Test(t, func(t *testing.T) {
			b := &books{fakeSlurm: fakeSlurm{gres: map[string]string{}}}
			for i := range 400 {
				id := fmt.Sprint(100 + i)
				b.records = append(b.records, running(id, id, "n4"))
				b.gres[id] = ""
				if accounts {
					b.sacct += id + "|COMPLETED|0:0|x|y\n"
				}
			}
			c := newClient(b.run)
			_, _ = askAll(t, c)
			b.records, b.asked = nil, nil
			answer, _ := askAll(t, c)
			if asked := b.saidOf(); len(answer.Ended) != 400 || len(asked) > 51 || accounts && len(asked) != 1 ||
				slices.ContainsFunc(answer.Ended, func(e cluster.EndedJob) bool { return e.Asking }) {
				t.Errorf("%s: %d ended, asked %d times", name, len(answer.Ended), len(asked))
			}
			time.Sleep(keepMore + time.Second)
			if answer, _ = askAll(t, c); len(answer.Ended) != maxEnded {
				t.Errorf("%s: %d are kept", name, len(answer.Ended))
			}
		})
	}
}

// The name of a job can look like a record, and a comment like a state. Lines in a name that are no record are its own.
func TestParseEnded(t *testing.T) {
	start, over := time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC), time.Date(2026, 11, 20, 18, 40, 0, 0, time.UTC)
	forged := "x\n\nJobId=16 JobName=y\n   JobState=COMPLETED\n"
	got := parseEnded([]byte(showEnded("16", "x", "FAILED", "3:0") + showEnded("17", forged, "TIMEOUT", "0:0") +
		showEnded("18", "x", "RUNNING", "0:0") + showEnded("19", "x", "NODE_FAIL", "1:0") +
		showEnded("20", "x\n   JobState=COMPLETED", "FAILED", "1:0") +
		showEnded("21", "x\nJobId=19 JobName=y\nJobState=COMPLETED", "NODE_FAIL", "1:0")))
	failed := jobEnd{state: cluster.JobNodeFailed, exit: &cluster.Exit{Code: 1}, start: start, end: over}
	want := map[string]jobEnd{"19": failed, "21": failed}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(jobEnd{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A way to end that a later version of SLURM has is said in its word.
func TestParseEndOfALaterVersion(t *testing.T) {
	shown := strings.ReplaceAll(showEnded("22", "x", "MELTED", "4:0"), "=2026-", "=2020-")
	books := "22|MELTED by 3|4:0|2020-11-20T18:22:36|2020-11-20T18:40:00\n23|SHRINKING|0:0|2020-11-20T18:22:36|Unknown\n"
	for name, got := range map[string]map[string]jobEnd{"scontrol": parseEnded([]byte(shown)),
		"sacct": parseAccounts([]byte(books))} {
		if e := got["22"]; len(got) != 1 || e.state != "MELTED" || e.exit == nil || e.exit.Code != 4 || e.end.IsZero() {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A job that squeue still lists has not ended, whatever its state is called, and even if its record is not understood.
func TestListedJobsHaveNotEnded(t *testing.T) {
	b := oneAndTwo()
	c := newClient(b.run)
	if _, err := askAll(t, c); err != nil {
		t.Fatal(err)
	}
	held := record{id: "1", number: "1", state: "SE", word: "SPECIAL_EXIT", priority: "0", reason: "held"}
	broken := fixed.begin + "2_1" + fixed.next + "16" + fixed.end
	b.says = map[string]string{"squeue": string(fixed.print(held, running("2_2", "17", "(null)"))) + broken}
	answer, err := askAll(t, c)
	if err != nil || len(answer.Ended) > 0 || len(answer.Pending) != 3 || len(b.saidOf()) > 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// over is the record of a job that has ended, which squeue still lists.
func over(id, state, word, start, end string) record {
	r := running(id, id, "n1")
	r.state, r.word, r.start, r.end = state, word, start, end
	return r
}

// A job that began and ended between two questions, or waited at the first one, is there with its end; one that ended
// before the first question is, too, with the time of its end.
func TestJobsThatEndBetweenTwoQuestions(t *testing.T) {
	before, after := time.Now().Add(-time.Hour).UTC(), time.Now().Add(-time.Second).UTC()
	at := func(t time.Time) string { return t.Format("2006-01-02T15:04:05") }
	b := oneAndTwo()
	b.records = append(b.records, over("90", "F", "FAILED", at(before), at(before)),
		record{id: "91", number: "91", state: "PD", word: "PENDING", name: "waits", nodes: "1"},
		record{id: "92_[1-3]", number: "92", state: "PD", word: "PENDING", name: "waits", nodes: "1"})
	b.sacct = "90|FAILED|1:0|x|y\n91|FAILED|4:0|x|y\n93|FAILED|1:0|x|y\n94|OUT_OF_MEMORY|0:125|x|y\n92|CANCELLED|0:0|x|y\n"
	c := newClient(b.run)
	answer, err := askAll(t, c)
	if err != nil || len(answer.Ended) != 1 || !answer.Ended[0].Missed.Equal(answer.Ended[0].End) ||
		answer.Ended[0].Exit.Code != 1 {
		t.Fatalf("%+v, %v", answer.Ended, err)
	}
	b.records = append(b.records[:4:4], over("93", "F", "FAILED", at(after), at(after)),
		over("94", "OOM", "OUT_OF_MEMORY", at(after), at(after)), over("95", "CD", "COMPLETED", at(after), at(after)),
		over("96", "ZZ", "NEW_END", at(after), at(after)), running("97", "97", "n3"))
	b.gres["97"], b.asked = "", nil
	b.sacct = "95.0|OUT_OF_MEMORY|0:125\n91.batch|OUT_OF_MEMORY|0:125\n91.0|OUT_OF_MEMORY|0:125\n" + b.sacct
	answer, err = askAll(t, c)
	got := ends(answer)
	slices.Sort(got)
	want := []string{"90 FAILED 1:0", "91 FAILED 4:0", "92_[1-3] CANCELLED 0:0", "93 FAILED 1:0", "94 OUT_OF_MEMORY",
		"95 COMPLETED", "96 NEW_END"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(answer.Jobs) != 4 {
		t.Errorf("%d jobs, ended (-want +got), %v:\n%s", len(answer.Jobs), err, diff)
	}
	if said := b.saidOf(); len(said) > 4 || !strings.Contains(said[0], ",92,") {
		t.Errorf("asked %q", said)
	}
	for _, e := range answer.Ended {
		if (e.OutOfMemory != "") != (e.ID == "91") || e.ID == "91" && e.OutOfMemory != "0" {
			t.Errorf("%s: step %q", e.ID, e.OutOfMemory)
		}
	}
	b.records = append(b.records, running("93", "93", "n4")) // it was requeued
	b.records = slices.DeleteFunc(b.records, func(r record) bool { return r.id == "93" && r.state == "F" })
	b.gres["93"] = ""
	if answer, err = askAll(t, c); err != nil || slices.ContainsFunc(answer.Ended,
		func(e cluster.EndedJob) bool { return e.ID == "93" }) {
		t.Errorf("%q, %v", ends(answer), err)
	}
}
