package python

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// Of very many threads the oldest ones are known, the main thread among them. Too many are a limit, a circle is damage.
func TestVeryManyThreads(t *testing.T) {
	list := func(threads int, back func(states []uint64) uint64) ([]Thread, error) {
		i := newInterpreter(t)
		interpreter := binary.LittleEndian.Uint64(i.text[i.state-base+16:])
		states := make([]uint64, threads)
		for k := range states {
			states[k] = i.room(160)
			i.word(states[k]+16, interpreter)
			i.word(states[k]+144, uint64(threads-k)) // the number in the kernel
			if k > 0 {
				i.word(states[k-1]+8, states[k])
			}
		}
		i.word(states[threads-1]+8, back(states))
		i.word(interpreter+72, states[0])
		return i.Threads()
	}
	end := func([]uint64) uint64 { return 0 }
	for _, n := range []int{1, 4096, 4097, 10_000, maxThreads} {
		got, err := list(n, end)
		if err != nil || len(got) < min(n, keptThreads) || len(got) > 2*keptThreads {
			t.Fatalf("%d threads: %d, %v", n, len(got), err)
		}
		for k := range got {
			if got[len(got)-1-k].Native != k+1 {
				t.Fatalf("%d threads: the oldest but %d is %d", n, k, got[len(got)-1-k].Native)
			}
		}
	}
	if got, err := list(maxThreads+1, end); !errors.Is(err, ErrThreads) || got != nil {
		t.Errorf("too many: %d, %v", len(got), err)
	}
	for _, n := range []int{1, 2, 3, 100, 5000} {
		for _, to := range []int{0, n / 2, n - 1} {
			if got, err := list(n, func(states []uint64) uint64 { return states[to] }); !errors.Is(err, errSense) {
				t.Errorf("%d threads that go back to %d: %d, %v", n, to, len(got), err)
			}
		}
	}
}

// A process may map very many files that are named as an interpreter: some are tried, first the program itself, and the
// limit is called one.
func TestManyInterpreters(t *testing.T) {
	reads := 0
	mem := memory.New(func([]memory.Piece) error { reads++; return errors.New("no") }, time.Now().Add(time.Minute))
	var areas []memory.Area
	for i := range 8000 {
		areas = append(areas, memory.Area{From: base + uint64(i)<<12, Path: "/tmp/python3.9"})
	}
	if r, err := Find(mem, areas, "/usr/bin/python3"); !errors.Is(err, ErrFiles) || r != nil || reads > maxFiles {
		t.Errorf("%v after %d reads", err, reads)
	}
	areas = append(areas, memory.Area{From: 77 << 12, Path: "/usr/bin/python3"})
	if list := candidateAreas(areas, "/usr/bin/python3"); len(list) != len(areas) || list[0].From != 77<<12 {
		t.Errorf("the first of %d is %+v", len(list), list[0])
	}
}

// The numbers of threads that the interpreter does not know stand at one place in all their blocks: they are numbers of
// threads of the process, each another one, and agree with those that are known.
func TestNumbersOfThreads(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second [3]uint64 // numbers in two blocks, from their byte 16 on
		native, want  int       // of the second thread; that of the first one is 7
	}{
		"alike, then right":    {[3]uint64{7, 7, 0}, [3]uint64{7, 9, 0}, 0, 9},
		"contrary, then right": {[3]uint64{9, 7, 0}, [3]uint64{7, 9, 0}, 0, 9},
		"strange, then right":  {[3]uint64{7, 7, 0}, [3]uint64{8, 9, 0}, 0, 9},
		"from before a fork":   {[3]uint64{0, 0, 7}, [3]uint64{0, 0, 9}, 5, 9},
		"in no place":          {[3]uint64{7, 8, 0}, [3]uint64{8, 9, 0}, 0, 0},
		"known":                {[3]uint64{7, 0, 0}, [3]uint64{9, 0, 0}, 11, 11},
	} {
		i := newInterpreter(t)
		list := []Thread{{Native: 7, local: i.room(4096)}, {Native: tc.native, local: i.room(4096)}}
		for k := range tc.first {
			i.word(list[0].local+16+8*uint64(k), tc.first[k])
			i.word(list[1].local+16+8*uint64(k), tc.second[k])
		}
		i.Number(list, map[int]bool{7: true, 9: true, 11: true})
		if list[0].Native != 7 || list[1].Native != tc.want {
			t.Errorf("%s: %d and %d, want 7 and %d", name, list[0].Native, list[1].Native, tc.want)
		}
	}
}
