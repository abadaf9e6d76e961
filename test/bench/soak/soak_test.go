package soak

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Reports are counted in the log of the program; its last line may be unfinished.
func TestSessionLog(t *testing.T) {
	l := newSessionLog(filepath.Join(t.TempDir(), "log"))
	if err := l.read(); err != nil || len(l.open) > 0 {
		t.Errorf("without a file: %v, %v", l.open, err)
	}
	text := ""
	add := func(more string) {
		t.Helper()
		text += more
		if err := os.WriteFile(l.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := l.read(); err != nil {
			t.Fatal(err)
		}
	}
	at := "time=2026-11-22T17:55:14.788Z level=INFO msg="
	add(at + "\"session begins\" node=node60 door=srun\n" + at + "\"session begins\" node=node01 do")
	if len(l.open) != 1 || l.open["node60"].Second() != 14 {
		t.Errorf("%+v", l)
	}
	add("or=ssh\n" + at + "\"attempt failed\" node=node02 door=ssh class=auth\n" + at +
		"\"session ended\" node=node60 door=srun class=closed why=\"node=x door=y\"\n")
	if len(l.open) != 1 || l.open["node01"].IsZero() || l.lost["node60"].IsZero() {
		t.Errorf("%+v", l)
	}
}

// Growth is that of the last quarter over the first, and small differences are none.
func TestSoakVerdict(t *testing.T) {
	s := &soak{}
	for i := range 8 {
		s.table = append(s.table, sample{at: time.Now(), fds: 75 + 3*i, threads: 9, rss: 50 << 10, probes: 64,
			children: i, sruns: min(i, 3)})
	}
	if err := s.verdict(); err != nil {
		t.Error(err)
	}
	for i := range s.table {
		s.table[i].fds += 10 * i
	}
	if err := s.verdict(); err == nil {
		t.Error("descriptors grow, and nothing is said")
	}
}
