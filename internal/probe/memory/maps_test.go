package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mapsOf(t testing.TB, lines string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "maps")
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func all(string) bool { return true }

func TestAreas(t *testing.T) {
	name := mapsOf(t, `55d0c1000000-55d0c1002000 r--p 00000000 08:01 1234                       /usr/bin/python3.11
55d0c1002000-55d0c1003000 r-xp 00002000 08:01 1234                       /usr/bin/python3.11
55d0c1003000-55d0c1004000 rw-p 00003000 08:01 1234                       /usr/bin/python3.11
55d0c2000000-55d0c3000000 rw-p 00000000 00:00 0                          [heap]
7f0c00000000-7f0c10000000 rw-p 00000000 00:00 0 
7f0c10000000-7f0c20000000 r--s 00000000 00:2f 77                         /data/a set (deleted) x/part  1 (deleted)
7f0c20000000-7f0c30000000 rw-s 00000000 00:01 5                          anon_inode:/dev/nvidia
7f0c30000000-7f0c40000000 r--p 00000000 08:01 99                         /usr/lib/libc.so.6
`)
	want := []Area{
		{From: 0x55d0c1000000, To: 0x55d0c1002000, Path: "/usr/bin/python3.11"},
		{From: 0x55d0c1003000, To: 0x55d0c1004000, Writable: true, Offset: 0x3000, Path: "/usr/bin/python3.11"},
		{From: 0x7f0c10000000, To: 0x7f0c20000000, Path: "/data/a set (deleted) x/part  1"},
		{From: 0x7f0c30000000, To: 0x7f0c40000000, Path: "/usr/lib/libc.so.6"},
	}
	got, err := Areas(name, all)
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	got, err = Areas(name, func(file string) bool { return strings.Contains(file, "python") })
	if err != nil || cmp.Diff(want[:2], got) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want[:2], got))
	}
	if _, err := Areas(name+"x", all); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Areas of this process are those that a plain reader finds.
func TestAreasOfThisProcess(t *testing.T) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	want := map[Area]bool{}
	for line := range strings.Lines(string(text)) {
		var a Area
		var rights, device, inode string
		n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %s %s", &a.From, &a.To, &rights, &a.Offset, &device, &inode, &a.Path)
		if a.Writable = strings.Contains(rights, "w"); n == 7 && a.Path[0] == '/' && (a.Offset == 0 || a.Writable) {
			want[a] = true
		}
	}
	got, err := Areas("/proc/self/maps", all)
	if err != nil || len(got) == 0 || len(got) != len(want) {
		t.Errorf("%d areas, want %d; %v", len(got), len(want), err)
	}
	for _, a := range got {
		if !want[a] {
			t.Errorf("%+v is not there", a)
		}
	}
}

// A process with very many areas costs little memory: those of other files are not kept, and of the wanted ones only so
// many.
func TestManyAreas(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "%x-%x r--p 00000000 08:01 %d    /home/alice/deep/down/python3.9.%d\n", 0x7f0000000000+i<<12,
			0x7f0000001000+i<<12, i, i)
	}
	b.WriteString("7fff00000000-7fff00001000 r--p 00000000 08:01 1    /usr/lib/libpython3.11.so\n")
	name := mapsOf(t, b.String())
	for test, wanted := range map[string]struct {
		wanted func(string) bool
		kept   int
		err    error
	}{
		"others": {func(file string) bool { return file == "/usr/lib/libpython3.11.so" }, 1, nil},
		"wanted": {all, maxKept, ErrAreas},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Areas(name, wanted.wanted)
		runtime.ReadMemStats(&after)
		if len(got) != wanted.kept || !errors.Is(err, wanted.err) {
			t.Errorf("%s: %d areas, %v", test, len(got), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 6<<20 {
			t.Errorf("%s: %d MiB", test, took>>20)
		}
	}
}

// Whatever a file says, an area has a path.
func FuzzArea(f *testing.F) {
	f.Add("7f0c1000-7f0c2000 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6 (deleted)")
	f.Add("7f0c1000-7f0c2000 r")
	f.Fuzz(func(t *testing.T, line string) {
		if a, path := parseArea([]byte(line)); len(path) == 0 && a != (Area{}) || len(path) > 0 && path[0] != '/' {
			t.Errorf("%+v %q", a, path)
		}
	})
}
