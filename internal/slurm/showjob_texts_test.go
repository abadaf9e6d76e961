package slurm

import (
	"context"
	"strings"
	"testing"
)

// newRecord is a job in the form of SLURM 26.05, with the lines between SubmitLine and the files.
func newRecord(name, submit, comments string) string {
	return "JobId=49 JobName=" + name + "\n   UserId=alice(20001) GroupId=alice(20001) MCS_label=N/A\n" +
		"   Priority=1 Nice=0 Account=(null) QOS=(null)\n   JobState=RUNNING Reason=None Dependency=(null)\n" +
		"   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n   RunTime=00:00:06 TimeLimit=01:00:00 TimeMin=N/A\n" +
		"   StartTime=2026-11-20T18:22:36 EndTime=2026-11-20T19:22:36 Deadline=N/A\n" +
		"   Partition=gpu AllocNode:Sid=login:0\n   NodeList=node01\n   BatchHost=node01\n   NumNodes=1 NumCPUs=1\n" +
		"   ReqTRES=cpu=1\n   AllocTRES=cpu=1,gres/gpu=1\n   JOB_GRES=gpu:a100:1\n" +
		"     Nodes=node01 CPU_IDs=0 Mem=0 GRES=gpu:a100:1(IDX:2)\n   Features=(null) DelayBoot=00:00:00\n" +
		"   OverSubscribe=OK Exclusive=NO Contiguous=0 Licenses=(null) LicensesAlloc=(null) Network=(null)\n" +
		"   Command=/home/alice/tr.sh\n   SubmitLine=" + submit + "\n   WorkDir=/home/alice\n" + comments +
		"   StdErr=/home/alice/e.out\n   StdIn=/dev/null\n   StdOut=o.out\n   TresPerNode=gres/gpu:1\n\n"
}

// Keys in the texts of users and admins are part of these texts.
func TestTextsAreNoKeys(t *testing.T) {
	paste := newRecord("x", "sbatch y.sh", "")
	for title, text := range map[string]string{
		"plain":          newRecord("tr.sh", "sbatch tr.sh", ""),
		"arguments":      newRecord("tr.sh", "sbatch tr.sh StdOut=results WorkDir=/data lr=0.1 JobState=FAILED UserId=bob(1)", ""),
		"a comment":      newRecord("x", "sbatch x.sh", "   Comment=rerun, see StdOut=/old/x.log Reason=OOM\n"),
		"older comments": newRecord("x", "sbatch x.sh", "   AdminComment=WorkDir=/x \n   Comment=JobState=FAILED \n"),
		"comments of admins": newRecord("x", "sbatch x.sh",
			"   AdminComment=StdOut=/a\n   SystemComment=Restarts=3\n   Extra=StartTime=Unknown\n"),
		"a key of a later version": newRecord("x", "sbatch x.sh", "   UserNote=x StdOut=/a\n   BatchHost=b Other=1\n"),
		"a script": newRecord("wrap", "sbatch --wrap 'cd x\nWorkDir=/data\nStdOut=/x\n\nJobId=$SLURM_JOB_ID\n"+
			"JobState=FAILED python x.py'", ""),
		"an indented script": newRecord("wrap", "sbatch --wrap 'if x; then\n   StdOut=/x\n   WorkDir=/data\n"+
			"   JobState=1 UserId=2\n   StartTime=3\nfi'", ""),
		"a comment of several lines": newRecord("x", "sbatch x.sh",
			"   Comment=a\n   StdOut=/a\n   BatchHost=evil\n     Nodes=node01 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-3)\n"),
		"a name":           newRecord("x\nStdOut=/a\nJobId=7 JobName=y\n   StdOut=/b", "sbatch x.sh", ""),
		"a name with keys": newRecord("x StdOut=/a JobState=FAILED JobName=y UserId=bob(1)", "sbatch x.sh", ""),
		"files in a text": newRecord("x", "sbatch x.sh",
			"   Comment=x\n   StdErr=/1\n   StdIn=/2\n   StdOut=/3\n"),
		"another job": paste[:len(paste)-1] + "\nJobId=50 JobName=49\n   StdOut=/x\n\n",
	} {
		c := New(func(context.Context, ...string) ([]byte, []byte, error) { return []byte(text), nil, nil })
		l, err := c.Logs(t.Context(), "49")
		if err != nil || l.Out != "/home/alice/o.out" || l.Err != "/home/alice/e.out" || l.User != "alice" ||
			l.Host != "node01" || l.Again || l.Ended || l.Start.IsZero() || l.ID != "49" {
			t.Errorf("%s: %+v, %v", title, l, err)
		}
		if got := parseShowJob([]byte(text))["49"]; len(got) != 1 || len(got[0].minors) != 1 {
			t.Errorf("%s: GPUs %+v", title, got)
		}
	}
}

// A line that a record lacks is not taken from a text, and one that cannot be told from a text is refused by the name
// of the text.
func TestTextsThatCannotBeTold(t *testing.T) {
	without := func(text string, lines ...string) string {
		for _, line := range lines {
			text = strings.Replace(text, "   "+line+"\n", "", 1)
		}
		return text
	}
	comment := "   Comment=x\n   BatchHost=evil\n   StdOut=/evil\n"
	waits := without(newRecord("x", "sbatch x.sh", comment), "BatchHost=node01")
	session := strings.Replace(without(newRecord("x", "salloc", comment), "StdErr=/home/alice/e.out",
		"StdIn=/dev/null", "StdOut=o.out"), "BatchFlag=1", "BatchFlag=0", 1)
	for title, test := range map[string]struct{ text, out, err string }{
		"no host":  {waits, "/home/alice/o.out", ""},
		"no files": {session, "", ""},
		"a name": {newRecord("x\n   UserId=root(0)", "sbatch x.sh", ""), "",
			"two values of UserId of job 49: its JobName has lines like those of scontrol"},
		"a directory": {newRecord("x", "sbatch x.sh", "   Comment=x\n   WorkDir=/evil\n"), "",
			"two values of WorkDir of job 49: its SubmitLine or Comment has lines like those of scontrol"},
		"a pasted record": {newRecord("x", "sbatch x.sh", "   Extra="+strings.TrimSpace(newRecord("y", "z", ""))+"\n"), "",
			"two values of"},
	} {
		c := New(func(context.Context, ...string) ([]byte, []byte, error) { return []byte(test.text), nil, nil })
		l, err := c.Logs(t.Context(), "49")
		if test.err == "" && (err != nil || l.Out != test.out || l.Host == "evil") ||
			test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %+v, %v", title, l, err)
		}
	}
}
