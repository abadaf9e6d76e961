package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "answers")
	a := NewKeptAnswers(dir, "alice", "cluster1")
	at := time.Now().Add(-10 * time.Second).Round(0)
	if err := a.Keep("jobs", at, []string{"7"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	if when, ok := a.Read("jobs", &got); !ok || len(got) != 1 || got[0] != "7" || !when.Equal(at) {
		t.Errorf("read %v of %v, %v", got, when, ok)
	}
	for name, other := range map[string]*KeptAnswers{"another cluster": NewKeptAnswers(dir, "alice", "cluster2"),
		"another user": NewKeptAnswers(dir, "bob", "cluster1"), "nobody": nil} {
		if _, ok := other.Read("jobs", &got); ok {
			t.Errorf("%s reads it", name)
		}
	}
	if _, ok := a.Read("nodes", &got); ok {
		t.Error("it answers another question")
	}
	if err := (*KeptAnswers)(nil).Keep("jobs", at, 1); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, a.answerPath("jobs"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".new*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left behind, %v", left, err)
	}
}

// A file that is not the user's alone, or is no answer, is as good as none; so is a directory.
func TestHostileFiles(t *testing.T) {
	made := func(t *testing.T) (a *KeptAnswers, path string) {
		a = NewKeptAnswers(filepath.Join(t.TempDir(), "answers"), "alice")
		if err := a.Keep("jobs", time.Now(), "seven"); err != nil {
			t.Fatal(err)
		}
		return a, a.answerPath("jobs")
	}
	write := func(text string) func(*KeptAnswers, string) error {
		return func(_ *KeptAnswers, path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	with := func(change func(*keptFile)) func(*KeptAnswers, string) error {
		return func(a *KeptAnswers, path string) error {
			f := keptFile{keptFormat, "alice", "jobs", time.Now(), "seven"}
			change(&f)
			text, err := json.Marshal(f)
			if err != nil {
				return err
			}
			return os.WriteFile(path, text, 0o600)
		}
	}
	for name, spoil := range map[string]func(a *KeptAnswers, path string) error{
		"empty":             write(""),
		"no JSON":           write("\x00\xff{"),
		"another type":      write(`{"format":1,"asker":"alice","question":"jobs","at":"2026-01-01T00:00:00Z","answer":[1]}`),
		"a time from hell":  write(`{"format":1,"asker":"alice","question":"jobs","at":"x","answer":"seven"}`),
		"cut off":           func(_ *KeptAnswers, path string) error { return os.Truncate(path, 40) },
		"too large":         func(_ *KeptAnswers, path string) error { return os.Truncate(path, maxKeptFile+1) },
		"from the future":   with(func(f *keptFile) { f.At = f.At.Add(time.Minute) }),
		"old":               with(func(f *keptFile) { f.At = f.At.Add(-LongestKept - time.Minute) }),
		"another format":    with(func(f *keptFile) { f.Format++ }),
		"of another asker":  with(func(f *keptFile) { f.Asker = "bob" }),
		"another question":  with(func(f *keptFile) { f.Question = "nodes" }),
		"others can read":   func(_ *KeptAnswers, path string) error { return os.Chmod(path, 0o640) },
		"others can write":  func(_ *KeptAnswers, path string) error { return os.Chmod(path, 0o602) },
		"open directory":    func(a *KeptAnswers, _ string) error { return os.Chmod(a.dir, 0o755) },
		"link to the file":  func(_ *KeptAnswers, path string) error { return movedAnswers(path, path+".real") },
		"link to directory": func(a *KeptAnswers, _ string) error { return movedAnswers(a.dir, a.dir+".real") },
		"directory": func(_ *KeptAnswers, path string) error {
			return errors.Join(os.Remove(path),
				os.Mkdir(path, 0o700))
		},
		"pipe": func(_ *KeptAnswers, path string) error {
			return errors.Join(os.Remove(path),
				syscall.Mkfifo(path, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, path := made(t)
			var got string
			if _, ok := a.Read("jobs", &got); !ok || got != "seven" {
				t.Fatalf("the whole file is not read: %q", got)
			}
			if err := spoil(a, path); err != nil {
				t.Fatal(err)
			}
			if _, ok := a.Read("jobs", &got); ok {
				t.Errorf("it is taken: %q", got)
			}
		})
	}
}

// movedAnswers moves a file, and leaves a link behind.
func movedAnswers(path, to string) error {
	return errors.Join(os.Rename(path, to), os.Symlink(to, path))
}

// Nothing is written into a directory that others can write.
func TestKeepRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)); err != nil {
		t.Fatal(err)
	}
	if err := NewKeptAnswers(dir).Keep("jobs", time.Now(), 1); err == nil || !strings.Contains(err.Error(), "this user alone") {
		t.Errorf("%v", err)
	}
	if err := NewKeptAnswers(filepath.Join(t.TempDir(), "answers")).Keep("jobs", time.Now(),
		strings.Repeat("x", maxKeptFile)); err == nil {
		t.Error("an answer that nobody reads is kept")
	}
	if all, _ := os.ReadDir(dir); len(all) > 0 {
		t.Errorf("%v is written", all)
	}
}

// Answers that nobody reads any more are removed.
func TestForget(t *testing.T) {
	a := NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	if err := a.Keep("old", time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(a.answerPath("old"), time.Time{}, time.Now().Add(-LongestKept-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := a.Keep("new", time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	if all, _ := os.ReadDir(a.dir); len(all) != 1 || all[0].Name() != filepath.Base(a.answerPath("new")) {
		t.Errorf("left %v", all)
	}
}

// An answer serves until it is as old as the user allows. A failure, or an answer that does not fit, is not kept.
func TestAsk(t *testing.T) {
	a := NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	synctest.Test(t, func(t *testing.T) {
		asked, broken := 0, errors.New("slurmctld is away")
		var fails error
		ask := func(within time.Duration, fits bool) (*int, time.Time, error) {
			return AskKept(a, "jobs", within, func(*int) bool { return fits }, func() (*int, error) {
				asked++
				return &asked, fails
			})
		}
		first := time.Now()
		for _, step := range []struct {
			within time.Duration
			fits   bool
			fails  error
			want   int // questions so far
		}{
			{30 * time.Second, true, broken, 1}, {30 * time.Second, false, nil, 2}, {30 * time.Second, true, nil, 3},
			{30 * time.Second, true, broken, 3}, {0, true, nil, 4}, {30 * time.Second, false, nil, 5},
		} {
			fails = step.fails
			if _, _, err := ask(step.within, step.fits); asked != step.want || asked < 3 && !errors.Is(err, step.fails) {
				t.Errorf("%+v: asked %d times, %v", step, asked, err)
			}
		}
		time.Sleep(30*time.Second - time.Nanosecond)
		if _, at, err := ask(30*time.Second, true); asked != 5 || !at.Equal(first) || err != nil {
			t.Errorf("asked %d times, %v, %v", asked, at, err)
		}
		time.Sleep(time.Nanosecond)
		if _, at, _ := ask(30*time.Second, true); asked != 6 || !at.Equal(time.Now()) {
			t.Errorf("asked %d times, %v", asked, at)
		}
	})
}
