//go:build linux

package stacks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// judge knows which stacks a program of testdata can have: its functions, and the calls of each line.
type judge struct {
	file      string
	functions map[string][][2]int // lines
	calls     map[int][]string
}

func newJudge(t *testing.T, file string) *judge {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{file, map[string][][2]int{}, map[int][]string{}}
	define := regexp.MustCompile(`^( *)(?:async )?def (\w+)`)
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if _, callees, found := strings.Cut(line, "# -> "); found {
			j.calls[i+1] = strings.Fields(callees)
		}
		m := define.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		end := i + 1
		for k := i + 1; k < len(lines) && (lines[k] == "" || strings.HasPrefix(lines[k], m[1]+" ")); k++ {
			if lines[k] != "" {
				end = k + 1
			}
		}
		j.functions[m[2]] = append(j.functions[m[2]], [2]int{i + 1, end})
	}
	return j
}

var made = regexp.MustCompile(`^<made (\d+)>$`)

// wrong says which frame of a stack cannot be; empty: none.
func (j *judge) wrong(s *wire.ThreadStack) string {
	for i := range s.Frames {
		f := &s.Frames[i]
		var caller *wire.Frame
		if i+1 < len(s.Frames) {
			caller = &s.Frames[i+1]
		}
		if why := j.wrongFrame(f); why != "" {
			return fmt.Sprintf("frame %d: %s", i, why)
		}
		traces := f.Function == "trace" // may be called before each line
		if caller != nil && caller.File == j.file && f.File == j.file && !traces &&
			!slices.Contains(j.calls[caller.Line], f.Function) {
			return fmt.Sprintf("frame %d: line %d does not call %s", i, caller.Line, f.Function)
		}
		if why := wrongMade(f, caller, i == 0); why != "" {
			return fmt.Sprintf("frame %d: %s", i, why)
		}
		if caller == nil && !s.Deeper && f.Function != "<module>" && f.Function != "_bootstrap" {
			return fmt.Sprintf("%s is the outermost frame", f.Function)
		}
	}
	return ""
}

// wrongFrame says why a frame alone cannot be.
func (j *judge) wrongFrame(f *wire.Frame) string {
	if f.File != j.file {
		if !strings.HasPrefix(filepath.Base(filepath.Dir(f.File)), "python") && !strings.Contains(f.File, "/asyncio/") &&
			!made.MatchString(f.File) && !strings.HasPrefix(f.File, "<frozen") &&
			f.File != "<string>" && !strings.Contains(f.File, "/lib/") {
			return "file " + strconv.Quote(f.File)
		}
		return ""
	}
	within := func(lines [2]int) bool { return lines[0] <= f.Line && f.Line <= lines[1] }
	if f.Line == 0 { // 3.10 has instructions without a line
		return ""
	}
	if strings.HasPrefix(f.Function, "<") || slices.ContainsFunc(j.functions[f.Function], within) {
		return ""
	}
	return fmt.Sprintf("%s has no line %d", f.Function, f.Line)
}

// wrongMade says why a frame of code that exec runs cannot be: name, file and lines have one number in common.
func wrongMade(f, caller *wire.Frame, innermost bool) string {
	m := made.FindStringSubmatch(f.File)
	if m == nil {
		return ""
	}
	n, _ := strconv.Atoi(m[1]) // digits
	top := n%50 + 1
	switch {
	case f.Function == "made_"+m[1]:
		if f.Line != top && f.Line != top+1 || caller == nil || caller.File != f.File {
			return fmt.Sprintf("%s of %s at %d", f.Function, f.File, f.Line)
		}
	case f.Function != "<module>" || f.Line != top && f.Line != top+2 && (!innermost || f.Line > top):
		return fmt.Sprintf("%s of %s at %d", f.Function, f.File, f.Line)
	case caller != nil && caller.Function != "made":
		return f.File + " is called by " + caller.Function
	}
	return ""
}

// tally counts what was read.
type tally struct{ stacks, whole, empty, unread, wrong, frames int }

func (n tally) String() string {
	return fmt.Sprintf("%d stacks, %d frames: %.2f %% read, %.1f %% of these whole, %d wrong", n.stacks, n.frames,
		100*float64(n.stacks-n.unread-n.empty)/float64(n.stacks), 100*float64(n.whole)/float64(n.stacks-n.unread-n.empty),
		n.wrong)
}

// Stacks of a program that never stands still have only frames that can be. With the race detector the reader is too
// slow for it.
func TestMovingStacks(t *testing.T) {
	raced.Skip(t)
	file, err := filepath.Abs("testdata/moving.py")
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge(t, file)
	for _, python := range pythons(t) {
		for _, threads := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s with %d threads", filepath.Base(python), threads+1), func(t *testing.T) {
				p := start(t, python, file, strconv.Itoa(threads))
				var ready int
				p.line(t, &ready)
				var n tally
				for n.stacks < moments(300)*(threads+1) {
					time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
					got := lookAt(t, p.Process.Pid)[0]
					n.take(t, j, &got, threads+1)
				}
				t.Logf("Python %s moving, threads: %d: %s", version(t, python), threads+1, n)
				if n.wrong > 0 || float64(n.unread+n.empty) > 0.01*float64(n.stacks) {
					t.Error(n)
				}
			})
		}
	}
}

// take judges the stacks of a process that has so many threads with a stack.
func (n *tally) take(t *testing.T, j *judge, got *wire.ProcessStacks, threads int) {
	t.Helper()
	n.stacks += threads
	if got.Refusal != nil {
		t.Logf("%+v", got.Refusal)
		n.unread += threads
		return
	}
	n.unread += max(0, threads-len(got.Threads))
	for i := range got.Threads {
		s := &got.Threads[i]
		n.frames += len(s.Frames)
		switch {
		case len(s.Frames) == 0:
			n.empty++
		case !s.Moving:
			n.whole++
		}
		if why := j.wrong(s); why != "" {
			n.wrong++
			t.Logf("%s\n%s", why, strings.Join(read(s.Frames), "\n"))
		}
	}
}
