package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// Area is a part of the address space of a process.
type Area struct {
	From, To uint64
	Writable bool
	Offset   uint64 // in the file
	Path     string // of the file, as the process knows it, without " (deleted)"; empty: none
}

// maxAreas is the maximum number of areas that are looked at. Programs with many libraries have some thousands.
const maxAreas = 1 << 16

// Areas reads a file maps of /proc. It waits for the lock of the address space, which may be held for ever.
func Areas(maps string) ([]Area, error) {
	f, err := os.Open(maps)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	var list []Area
	lines := bufio.NewScanner(f)
	for lines.Scan() && len(list) < maxAreas {
		// 7f0c1000-7f0c2000 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6
		of, rest, _ := strings.Cut(lines.Text(), " ")
		words := strings.Fields(rest)
		from, to, found := strings.Cut(of, "-")
		if !found || len(words) < 4 || len(words[0]) < 4 {
			continue
		}
		var a Area
		a.From, _ = strconv.ParseUint(from, 16, 64) // the kernel writes numbers
		a.To, _ = strconv.ParseUint(to, 16, 64)
		a.Offset, _ = strconv.ParseUint(words[1], 16, 64)
		a.Writable = words[0][1] == 'w'
		if i := strings.IndexByte(rest, '/'); len(words) > 4 && i >= 0 && words[4][0] == '/' {
			a.Path = strings.TrimSuffix(rest[i:], " (deleted)")
		}
		list = append(list, a)
	}
	return list, lines.Err()
}
