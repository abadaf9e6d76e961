package reach

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	for want, f := range map[string]Failure{
		"connection closed":               {Short: "connection closed"},
		"login refused (pam_slurm_adopt)": {Short: "login refused", Detail: "pam_slurm_adopt"},
		"squeue failed: no answer":        {Short: "squeue failed", Cause: "no answer"},
		"probe killed (signal KILL): out of memory?": {Short: "probe killed", Detail: "signal KILL",
			Cause: "out of memory?"},
	} {
		if got := f.Summary(); got != want || f.Error() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAsFailure(t *testing.T) {
	f := &Failure{Class: ClassClosed}
	if got := AsFailure(fmt.Errorf("open: %w", f), ClassOther); got != f {
		t.Errorf("got %+v", got)
	}
	if got := AsFailure(errors.New("oh"), ClassSlurm); got.Class != ClassSlurm || got.Short != "oh" {
		t.Errorf("got %+v", got)
	}
	if AsFailure(nil, ClassOther) != nil {
		t.Error("no error is a failure")
	}
}

func TestMistakeSaysWhere(t *testing.T) {
	defer func() {
		if f := Mistake(recover()); !strings.HasPrefix(f.Words, "the moon fell\n") ||
			!strings.Contains(f.Words, "TestMistakeSaysWhere") {
			t.Errorf("words %q", f.Words)
		}
	}()
	panic("the moon fell")
}
