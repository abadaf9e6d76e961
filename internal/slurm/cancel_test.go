package slurm

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestCancelCommand(t *testing.T) {
	for _, test := range []struct{ job, signal, want string }{
		{"48211", "", "scancel --verbose 48211"},
		{"48211", "USR1", "scancel --verbose --signal=USR1 48211"},
		{"2_1", "TERM", "scancel --verbose --signal=TERM 2_1"},
		{"3+1", "", "scancel --verbose 3+1"},
		{"2_[3-10]", "", "scancel --verbose 2_[3-10]"},
		{"2_[1,3-10%2]", "", "scancel --verbose 2_[1,3-10]"},
	} {
		argv, err := cancelCommand(test.job, test.signal)
		if got := strings.Join(argv, " "); err != nil || got != test.want {
			t.Errorf("%q %q: %q, %v, want %q", test.job, test.signal, got, err, test.want)
		}
	}
	for _, job := range []string{"", "0", "-u", "--user=root", "48211 48212", "1;id", "2_", "2_[1-3", "2_1]", "2%1",
		"1\n2", "1.0", "99999999999"} {
		if argv, err := cancelCommand(job, ""); err == nil {
			t.Errorf("%q becomes %q", job, argv)
		}
	}
	for _, signal := range []string{"-9", "9", "usr1", "USR1 ", "A=B", "--full", "KILL", "SIGKILL"} {
		if argv, err := cancelCommand("48211", signal); err == nil {
			t.Errorf("%q becomes %q", signal, argv)
		}
	}
}

// SLURM's own words come back, with their meaning.
func TestCancelFails(t *testing.T) {
	for _, test := range []struct {
		stderr string
		err    error
		want   string // summary
		hint   string
	}{
		{"", nil, "", ""},
		{"scancel: Terminating job 48211\n", nil, "", ""},
		{"scancel: Terminating job 48211\nscancel: error: Kill job error on job id 48211: Invalid job id specified\n",
			errors.New("exit status 1"), "scancel failed: Kill job error on job id 48211: Invalid job id specified",
			"refresh the list of jobs"},
		{"scancel: error: Kill job error on job id 48211: Access/permission denied\n", nil,
			"scancel failed: Kill job error on job id 48211: Access/permission denied", "check whose"},
		{"scancel: error: Unable to contact slurm controller (connect failure)\n", errors.New("exit status 1"),
			"slurmctld not responding: Unable to contact", "check with: scontrol ping"},
		{"", exec.ErrNotFound, "scancel is not installed here", ""},
		// as 22.05 prints them
		{"Unknown job signal: FOO\n", errors.New("exit status 1"), "scancel failed: Unknown job signal: FOO",
			"list the signals"},
		{"scancel: select/linear: init: Linear node selection plugin loaded with argument 4\nscancel: Signal 10 to job " +
			"48211\nscancel: Job is in transitional state, retrying\n" +
			"scancel: error: Kill job error on job id 48211: Job can not be altered now, try again later\n",
			errors.New("exit status 228"), "scancel failed: Kill job error on job id 48211: Job can not be altered now",
			"try again when"},
		{"scancel: error: Kill job error on job id 48211: Job is not running\n", errors.New("exit status 1"),
			"scancel failed: Kill job error on job id 48211: Job is not running", "cancel the job without"},
		{"scancel: Signal 10 to job 48211\nA later refusal\n", errors.New("exit status 1"),
			"scancel failed: A later refusal", ""},
		{"A greeting of a wrapper\nscancel: Terminating job 48211\n", nil, "", ""},
		{"scancel: fatal: no plugin\n", errors.New("exit status 1"), "scancel failed: scancel: fatal: no plugin", ""},
	} {
		client := New(func(context.Context, ...string) ([]byte, []byte, error) {
			return nil, []byte(test.stderr), test.err
		})
		err := client.Cancel(t.Context(), "48211", "")
		failed, is := errors.AsType[*reach.Failure](err)
		switch {
		case test.want == "":
			if err != nil {
				t.Errorf("%q: %v", test.stderr, err)
			}
		case !is || !strings.HasPrefix(failed.Summary(), test.want):
			t.Errorf("%q: %v, want %q", test.stderr, err, test.want)
		case !strings.HasPrefix(strings.Join(failed.Hints, " "), test.hint):
			t.Errorf("%q: hints %q, want %q", test.stderr, failed.Hints, test.hint)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	client := New(func(context.Context, ...string) ([]byte, []byte, error) { return nil, nil, ctx.Err() })
	if err := client.Cancel(ctx, "48211", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
