package cluster

import (
	"testing"
	"time"
)

func TestTasks(t *testing.T) {
	for id, want := range map[string]int{
		"48390": 1, "2_4": 1, "3+1": 1, "2_[4]": 1, "2_[3-5%2]": 3, "48500_[1-400%12]": 400, "2_[1,3,5-9]": 7,
		"2_[0-20:5]":  5,
		"2_[1,3,...]": 0, "2_[1-": 0, "2_[]": 0, "2_[5-3]": 0, "2_[a]": 0, "2_[0-20:0]": 0, "2_[1-99999999999]": 0,
		"": 1,
	} {
		j := PendingJob{ID: id}
		if n, known := j.Tasks(); n != want || known != (want > 0) {
			t.Errorf("%q has %d tasks, known: %v; want %d", id, n, known, want)
		}
	}
}

func TestHasTask(t *testing.T) {
	for name, tc := range map[string]struct {
		id, task   string
		has, known bool
	}{
		"first": {"2_[3-5%2]", "3", true, true}, "beyond": {"2_[3-5%2]", "6", false, true},
		"step": {"2_[0-20:5]", "15", true, true}, "between": {"2_[0-20:5]", "14", false, true},
		"before the cut": {"2_[1,3,...]", "3", true, true}, "after it": {"2_[1,3,...]", "4", false, false},
		"cut in a number": {"2_[1,3,5", "5", false, false}, "before that": {"2_[1,3,5", "3", true, true},
		"no number": {"2_[1-9]", "x", false, true}, "no array": {"2", "2", false, false},
	} {
		if has, known := (&PendingJob{ID: tc.id}).Has(tc.task); has != tc.has || known != tc.known {
			t.Errorf("%s: %v, known %v", name, has, known)
		}
	}
}

// An ending job is not over. Then SLURM's time counts, if known.
func TestOver(t *testing.T) {
	end, missed := time.Unix(100, 0), time.Unix(130, 0)
	for _, test := range []struct {
		job  EndedJob
		want time.Time
	}{
		{EndedJob{}, time.Time{}}, {EndedJob{End: end}, time.Time{}}, {EndedJob{Missed: missed}, missed},
		{EndedJob{Missed: missed, End: end}, end},
	} {
		if got := test.job.Over(); !got.Equal(test.want) {
			t.Errorf("%+v: %v", test.job, got)
		}
	}
}
