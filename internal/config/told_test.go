package config

import (
	"os"
	"slices"
	"testing"
	"time"
)

// What was told is remembered for a day, beside what other programs have told, and forgotten when it is over.
func TestTold(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	now := time.Unix(1_800_000_000, 0)
	knows := func(after time.Duration, want ...string) {
		t.Helper()
		if got := Told("told-mail", now.Add(after)); !slices.Equal(got, want) {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
	}
	tell := func(after time.Duration, told, forgotten []string) {
		t.Helper()
		if err := Tell("told-mail", told, forgotten, now.Add(after)); err != nil {
			t.Error(err)
		}
	}
	knows(0)
	tell(0, []string{"job_hang  7", "lag n1 GPU-1"}, nil)
	tell(time.Hour, []string{"node_failed n2 "}, nil)
	knows(time.Hour, "job_hang  7", "lag n1 GPU-1", "node_failed n2 ")
	tell(2*time.Hour, []string{"job_hang  7"}, []string{"lag n1 GPU-1"})
	knows(2*time.Hour, "node_failed n2 ", "job_hang  7")
	knows(25*time.Hour+time.Second, "job_hang  7")
	knows(27 * time.Hour)
	tell(2*time.Hour, nil, []string{"node_failed n2 ", "job_hang  7"})
	if files, _ := os.ReadDir(dir + "/nvnodetop"); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}
