package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// A problem is printed once while it lasts, and when it is over. A job that runs, waits or is requeued has not ended.
func TestFollow(t *testing.T) {
	const begin = `{"discovery": {"command": "squeue", "answered": "2026-11-27T12:00:00Z"}, `
	const lag = `{"kind": "lag", "severity": "warning", "node": "n1", "gpu": 3, "text": "Lags: `
	snapshots := []string{
		`{"discovery": {"command": "squeue"}, "jobs": []}`,
		begin + `"jobs": [{"id": "7", "findings": [` + lag + `20%."}]}]}`,
		begin + `"jobs": [{"id": "7", "findings": [` + lag + `30%."}, {"kind": "job_hang", "node": "", "text": "Hangs."}]}]}`,
		begin + `"jobs": [{"id": "7", "findings": [{"kind": "job_hang", "node": "", "text": "Hangs."}]}]}`,
		begin + `"jobs": [], "pending": [{"id": "7"}], "ended_jobs": [{"id": "7", "state": "PREEMPTED"}]}`,
		begin + `"jobs": [], "ended_jobs": [{"id": "7", "state": "FAILED", "cause": "rank 1: ValueError"}]}`,
	}
	const want = "n1 GPU3: Lags: 20%.\njob: Hangs.\nn1 GPU3: over: lag\njob: over: job_hang\n" +
		"7 ended: FAILED rank 1: ValueError\n"
	if got, err := run(t, append(snapshots, begin+`"jobs": [{"id": "late"}]}`)...); got != want || err != nil {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if got, err := run(t, begin+`"jobs": []}`); got != "" || err == nil || err.Error() != "SLURM lists no such job" {
		t.Errorf("%q, %v for no job", got, err)
	}
}

func TestFollowReturnsErrors(t *testing.T) {
	want := errors.New("no SLURM")
	err := follow(&strings.Builder{}, func(yield func(*schema.Snapshot, error) bool) { yield(nil, want) })
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// run follows snapshots, and returns what is printed.
func run(t *testing.T, documents ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := follow(&out, func(yield func(*schema.Snapshot, error) bool) {
		for _, d := range documents {
			var s schema.Snapshot
			if err := json.Unmarshal([]byte(d), &s); err != nil {
				t.Error(err)
			}
			if !yield(&s, nil) {
				return
			}
		}
	})
	return out.String(), err
}
