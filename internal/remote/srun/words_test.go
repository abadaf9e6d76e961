package srun

import (
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestTaskEnd(t *testing.T) {
	for line, want := range map[string]struct {
		labels []int
		exit   link.Exit
	}{
		"srun: error: node04: task 0: Exited with exit code 7": {[]int{0},
			link.Exit{Known: true, Status: 7}},
		"srun: error: node[01-02]: tasks 0-1: Exited with exit code 75": {[]int{0, 1},
			link.Exit{Known: true, Status: 75}},
		"srun: error: node[01,03-04]: tasks 0,2-3: Killed": {[]int{0, 2, 3},
			link.Exit{Known: true, Signal: "KILL"}},
		"srun: error: node05: task 1: Terminated\n": {[]int{1},
			link.Exit{Known: true, Signal: "TERM"}},
		"srun: error: node05: task 1: Out Of Memory": {[]int{1},
			link.Exit{Known: true, Signal: "KILL"}},
		"srun: error: node05: task 1: Segmentation fault (core dumped)":      {[]int{1}, link.Exit{}},
		"srun: error: node05: tasks 0-999999999: Killed":                     {},
		"srun: error: node05: tasks -: Killed":                               {},
		"srun: error: Unable to create step for job 2: Unspecified error":    {},
		"srun: Job step aborted: Waiting up to 7 seconds for job step to fi": {},
	} {
		labels, exit, ok := taskEnd(line)
		if !slices.Equal(labels, want.labels) || exit != want.exit || ok != (want.labels != nil) {
			t.Errorf("%q: %v, %+v, %v", line, labels, exit, ok)
		}
	}
}

func TestParse(t *testing.T) {
	type line struct {
		label int
		text  string
	}
	var got []line
	readLines(strings.NewReader("0: a\n 7: b: c\n12: \nsrun: error: x\n-1: y\nnoise\n3: no end"),
		func(label int, text []byte) {
			got = append(got, line{label, string(text)})
		})
	want := []line{{0, "a\n"}, {7, "b: c\n"}, {12, "\n"}, {-1, "srun: error: x\n"}, {-1, "-1: y\n"}, {-1, "noise\n"},
		{3, "no end"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

const expired = "\nsrun: Check SLURM_JOB_ID environment variable. Expired or invalid job 2"

// The words are those of SLURM 22.05, and of the source of others.
func TestClassify(t *testing.T) {
	for words, want := range map[string]struct {
		class   reach.Class
		summary string
		hint    string
	}{
		"srun: error: Slurm job 2 has expired" +
			expired: {reach.ClassAdopt, "the job has ended: Slurm job 2 has expired", "list your jobs: squeue --me"},
		"srun: error: Unable to confirm allocation for job 2: Invalid job id specified" +
			expired: {reach.ClassAdopt, "the job has ended: Invalid job id specified", "list your jobs: squeue --me"},
		"srun: error: Unable to create step for job 3: Job/step already completing or completed": {reach.ClassAdopt,
			"the job has ended: Job/step already completing or completed", ""},
		"srun: error: Unable to confirm allocation for job 2: Job is pending execution" +
			expired: {reach.ClassSlurm, "the job does not run: Job is pending execution",
			"check its state: squeue -j 2"},
		"srun: error: Unable to create step for job 1: Access/permission denied": {reach.ClassDenied,
			"srun refused: Access/permission denied", "reproduce with: srun --overlap --jobid=2 -w n1 -N1 -n1 hostname"},
		"srun: error: Unable to create step for job 2: Requested node configuration is not available": {reach.ClassSlurm,
			"SLURM refused the step: Requested node configuration is not available", ""},
		"srun: error: Unable to create step for job 2: Invalid generic resource (gres) specification": {reach.ClassSlurm,
			"SLURM refused the step: Invalid generic resource (gres) specification", ""},
		"srun: error: Unable to create step for job 2: Step limit reached for this job": {reach.ClassSlurm,
			"SLURM refused the step: Step limit reached for this job", "see the limit, MaxStepCount: scontrol show config"},
		"srun: unrecognized option '--overlap'\nTry \"srun --help\" for more information": {reach.ClassSlurm,
			"srun is too old: unrecognized option '--overlap'", "SLURM 20.11 or newer is needed: see srun --version"},
		"srun: error: Unable to confirm allocation for job 3: Unable to contact slurm controller (connect failure)" +
			expired: {
			reach.ClassSlurm, "slurmctld not responding: Unable to contact slurm controller (connect failure)",
			"check with: scontrol ping"},
		"srun: error: Unable to confirm allocation for job 3: Socket timed out on send/recv operation" + expired: {
			reach.ClassSlurmTimeout, "slurmctld not responding: Socket timed out on send/recv operation", ""},
		"srun: Job 2 step creation temporarily disabled, retrying (Requested nodes are busy)\nsrun: Job 2 step " +
			"creation still disabled, retrying (Requested nodes are busy)": {
			reach.ClassSlurmTimeout, "SLURM does not start the step: Requested nodes are busy", ""},
		"srun: error: Task launch for StepId=3.1 failed on node n1: Communication connection failure\nsrun: error: " +
			"Application launch failed: Communication connection failure\nsrun: Job step aborted": {
			reach.ClassTimeout, "slurmd not responding: Communication connection failure",
			"check its state: scontrol show node n1"},
		"srun: something new": {reach.ClassSlurm, "srun failed: something new", ""},
	} {
		got := settle(&stepError{words: words})
		if got.Class != want.class || got.Summary() != want.summary || !slices.Contains(append(got.Hints, ""),
			want.hint) || got.Words != words {
			t.Errorf("%s\n%+v", words, got)
		}
	}
	for summary, err := range map[string]error{
		"srun not found":                         &stepError{err: &exec.Error{Name: "srun", Err: exec.ErrNotFound}},
		"cannot start srun: too many processes":  &stepError{err: errors.New("too many processes")},
		"SLURM did not start the step after 60s": &stepError{late: true},
		"SLURM step ended":                       &link.EndError{Read: io.EOF},
	} {
		if got := settle(err).Summary(); got != summary {
			t.Errorf("got %q, want %q", got, summary)
		}
	}
}

// With a token in the environment, srun as the user would type it fails for another reason.
func TestTheHintWithAToken(t *testing.T) {
	t.Setenv("SLURM_JWT", "secret")
	got := settle(&stepError{words: "srun: something new"}).Hints
	if want := "reproduce with: env -u SLURM_JWT srun --overlap --jobid=2 -w n1 -N1 -n1 hostname"; !slices.Contains(
		got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func settle(err error) *reach.Failure {
	s := &shell{crew: &jobSteps{id: "2"}}
	return (&remote.Case{Node: "n1", Stage: remote.StageProbe, Took: time.Minute}).Settle(err, s.Explain)
}

func TestArguments(t *testing.T) {
	args := srunArguments(Job{ID: "7"}, []string{"a", "b"}, []string{"--gres=gpu:4"}, "exit 3")
	script := args[len(args)-1]
	if got := strings.Join(args[:len(args)-1], " "); !strings.HasPrefix(got,
		"--overlap --jobid=7 --nodes=2 --ntasks=2 --ntasks-per-node=1 --nodelist=a,b ") ||
		!strings.HasSuffix(got, " --gres=gpu:4 /bin/sh -c") {
		t.Errorf("got %s", got)
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"SLURMD_NODENAME=a"}
	if out, err := cmd.CombinedOutput(); err != nil ||
		string(out) != "#nvnodetop-task/1 a\n#nvnodetop-exit/1 3\n#nvnodetop-exit/1 3\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestEnvironment(t *testing.T) {
	got := srunEnviron([]string{"HOME=/h", "SLURM_JOB_ID=1", "SLURM_CONF=/c", "SLURMD_NODENAME=x", "SBATCH_A=1",
		"SALLOC_B=1", "MYSLURM=1", "SLURM_GPUS=3", "SLURM_JWT=token", "SRUN_OUTPUT=/dev/null", "SLURM_SACK_SOCKET=/s",
		"_SLURM_SPANK_OPTION_pyxis_container_image=x"})
	if want := []string{"HOME=/h", "SLURM_CONF=/c", "MYSLURM=1", "SLURM_SACK_SOCKET=/s"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSpool(t *testing.T) {
	s := newSpool()
	s.addOutput(make([]byte, maxSpooled))
	s.addOutput([]byte("x")) // nobody reads
	s.addOutput([]byte("y"))
	n := 0
	for buf := make([]byte, 1<<20); ; {
		m, err := s.Read(buf)
		n += m
		if err != nil {
			if !errors.Is(err, errSpool) || n != maxSpooled {
				t.Errorf("%d bytes, %v", n, err)
			}
			return
		}
	}
}

// srun puts the component of a heterogeneous job before the number of the task. A step is in one component only.
func TestLabels(t *testing.T) {
	for line, want := range map[string]int{"7: x: y": 7, "   7: x: y": 7, "9999: x: y": 9999, "P1  7: x: y": 7,
		"P12 0: x: y": 0, "x: y": -1, "P1: x: y": -1, "Px 1: x: y": -1} {
		label, rest := splitLabel([]byte(line))
		if label != want || label >= 0 && string(rest) != "x: y" || label < 0 && string(rest) != line {
			t.Errorf("%q: %d, %q", line, label, rest)
		}
	}
}

// A component of a heterogeneous job has a number of its own, which srun refuses.
func TestHeterogeneousJob(t *testing.T) {
	args := strings.Join(srunArguments(Job{ID: "9", Leader: "8", Group: "1"}, []string{"a"}, nil, "true"), " ")
	if !strings.Contains(args, " --jobid=8 --het-group=1 ") {
		t.Errorf("got %s", args)
	}
	if args := strings.Join(srunArguments(Job{ID: "9"}, []string{"a"}, nil, "true"), " "); strings.Contains(args,
		"het-group") {
		t.Errorf("another job: %s", args)
	}
}
