//go:build linux

package stacks

import (
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// overwriting sets its variables anew, as its C library keeps them, and then clears the environment that it began with:
// setproctitle does both. Argument 1 says whether it does the second, too.
const overwriting = `
import ctypes, os, sys, time
for name, value in list(os.environ.items()): os.environ[name] = value
if sys.argv[1] == "all":
    fields = open("/proc/self/stat").read().rpartition(")")[2].split()
    begin, end = int(fields[47]), int(fields[48])
    ctypes.memset(begin, 0, end - begin)
print("1", flush=True); time.sleep(1e6)`

// The rank of a process that has overwritten its environment comes with its stack, from its memory. Several processes
// with one rank have inherited it.
func TestRankInMemory(t *testing.T) {
	begin := func(python, what, rank string) wire.ProcessID {
		t.Setenv("RANK", rank)
		t.Setenv("WORLD_SIZE", "8")
		p := start(t, python, "-c", overwriting, what)
		var ready int
		p.line(t, &ready)
		becomesStill(t, p.Process.Pid)
		stat, err := proc.Of("/proc", p.Process.Pid).Stat()
		if err != nil {
			t.Fatal(err)
		}
		return wire.ProcessID{PID: stat.PID, StartTicks: stat.Start}
	}
	for _, python := range pythons(t) {
		ids := []wire.ProcessID{begin(python, "all", "3"), begin(python, "nothing", "4"), begin(python, "all", "5"),
			begin(python, "all", "5"), begin(python, "all", "")}
		got, _, err := New("/proc").Read(wire.Stacks{Processes: ids})
		if err != nil || len(got) != len(ids) {
			t.Fatalf("%+v, %v", got, err)
		}
		for i, want := range []string{"RANK 3 of 8", "none", "none", "none", "none"} {
			said := "none"
			if r := got[i].Rank; r != nil {
				said = fmt.Sprint(r.From, " ", r.Rank, " of ", *r.World)
			}
			if said != want || got[i].Refusal != nil {
				t.Errorf("process %d: %s, want %s; %+v", i, said, want, got[i].Refusal)
			}
		}
	}
}
