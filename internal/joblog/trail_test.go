package joblog

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// cites follows a log that is written in steps of a minute.
func cites(t *testing.T, steps ...string) (Trail, *Window) {
	t.Helper()
	var trail Trail
	d, w := &disk{}, NewWindow(-wire.MaxLog)
	for i, step := range steps {
		d.data = append(d.data, step...)
		p := d.read(w.Next(true))
		p.At = noon.Add(time.Duration(i) * time.Minute)
		w.Take(p)
		trail.Note(p, w)
	}
	return trail, w
}

// A cause is cited rather than what follows from it.
func TestCite(t *testing.T) {
	const oom, srun = "torch.OutOfMemoryError: CUDA out of memory\n", "srun: error: node02: task 1: Exited\n"
	for _, test := range []struct {
		steps []string
		want  string
		after time.Duration // from noon; -1: not known
	}{
		{[]string{"fine\n", "fine too\n"}, "", 0},
		{[]string{"fine\n", oom, srun}, oom, time.Minute},
		{[]string{"fine\n", srun, oom}, oom, 2 * time.Minute},
		{[]string{"fine\n", srun}, srun, time.Minute},
		{[]string{"fine\n", oom + "ValueError: later\n" + srun}, oom, time.Minute},
		{[]string{"fine\n", oom, "ValueError: later\n" + srun}, oom, time.Minute},
		{[]string{"ValueError: handled\n", strings.Repeat("fine\n", 9) + oom}, oom, time.Minute},
		{[]string{oom}, oom, -1},
		{[]string{"2026-11-20 11:30:00 NCCL WARN x\n"}, "2026-11-20 11:30:00 NCCL WARN x\n", -30 * time.Minute},
		{[]string{"fine\n", "CUDA out of", " memory now\n"}, "CUDA out of memory now\n", 2 * time.Minute},
	} {
		trail, _ := cites(t, test.steps...)
		c, is := trail.Cite()
		when := noon.Add(test.after)
		if test.after == -1 {
			when = time.Time{}
		}
		if is != (test.want != "") || is && (c.Text+"\n" != test.want || !c.When.Equal(when)) {
			t.Errorf("%q: %q at %v, %v", test.steps, c.Text, c.When, is)
		}
	}
}

// While a log is followed, its length at any time is known.
func TestOffsetAtATime(t *testing.T) {
	trail, w := cites(t, "one\n", "two\n", "", "three\n")
	for after, want := range map[time.Duration]int64{-time.Second: -1, 0: 4, 30 * time.Second: 4, time.Minute: 8,
		150 * time.Second: 8, time.Hour: 14} {
		at, known := trail.At(noon.Add(after))
		if !known {
			at = -1
		}
		if at != want {
			t.Errorf("after %v: %d, want %d", after, at, want)
		}
	}
	if _, known := Stamped(w.Lines(), noon); known {
		t.Error("lines without a time have one")
	}
	for i := range 3 * maxMoments {
		trail.addMoment(fileSizeAt{noon.Add(time.Duration(i) * time.Second), int64(i)})
	}
	if len(trail.moments) > maxMoments {
		t.Errorf("%d moments", len(trail.moments))
	}
}

// Lines with times tell where a moment is, in the formats of Python's logging and others.
func TestStamped(t *testing.T) {
	_, w := cites(t, "start\n2026-11-20 11:58:00,123 INFO a\n[2026-11-20T11:59:00.5Z] b\nno time\n"+
		"2026/11/20 12:01:00 c\n11/20/2026 12:02:00 - d\n")
	for when, want := range map[time.Time]int{noon: 4, noon.Add(-90 * time.Second): 2, noon.Add(-time.Hour): -1,
		noon.Add(time.Hour): -1} {
		at, known := Stamped(w.Lines(), when)
		if !known {
			at = -1
		}
		if at != want {
			t.Errorf("%v is line %d, want %d", when, at, want)
		}
	}
}
