package procs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	mostMaps     = 64 << 20 // bytes of the file: some ten thousand areas
	mostMapFiles = 1 << 16
)

// fullMemory reads the memory area by area, and adds it up by file. smaps_rollup has only the totals, at the same
// price.
func (l *inspectionBuilder) fullMemory() error {
	f, err := os.Open(filepath.Join(l.mount, "smaps"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	limited := &io.LimitedReader{R: f, N: mostMaps}
	full, files, err := sumMaps(limited, l.until)
	switch {
	case err != nil:
		return err
	case limited.N == 0:
		return errors.New("it has too many areas of memory")
	}
	full.Maps = slices.Collect(maps.Values(files))
	sort.Slice(full.Maps, func(i, k int) bool {
		a, b := &full.Maps[i], &full.Maps[k]
		if a.RSS != b.RSS {
			return a.RSS > b.RSS
		}
		return a.Path < b.Path
	})
	l.noteLeftOut("maps", len(full.Maps)-wire.MaxInspected)
	full.Maps = full.Maps[:min(len(full.Maps), wire.MaxInspected)]
	l.Full = full
	return nil
}

// sumMaps adds up a smaps file: it lists areas, each with its address and its file, followed by lines such as "Rss:  4
// kB".
func sumMaps(from io.Reader, until time.Time) (*wire.FullMemory, map[string]wire.InspectedMapping, error) {
	full, files := &wire.FullMemory{}, map[string]wire.InspectedMapping{}
	area, name, began := wire.InspectedMapping{}, "", false
	end := func() {
		if began && len(files) < mostMapFiles {
			files[name] = mappingSum(files[name], &area)
		}
	}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line := lines.Bytes()
		if key, amount, is := proc.Amount(line); is {
			takeAmount(&area, full, key, amount)
			continue
		}
		if file, is := areaOf(line); is {
			if end(); time.Now().After(until) {
				return nil, nil, errors.New("it has so much memory that the kernel needs too long")
			}
			area, name, began = wire.InspectedMapping{Path: file, Areas: 1}, file, true
		}
	}
	end()
	return full, files, lines.Err()
}

// areaOf returns the file of a line that begins an area: "7f00-7f10 r--p 00000000 08:01 12345   /usr/lib/libc.so".
func areaOf(line []byte) (file string, is bool) {
	from, _, ranged := bytes.Cut(line, []byte("-"))
	if _, err := strconv.ParseUint(string(from), 16, 64); err != nil || !ranged {
		return "", false
	}
	rest := line
	for range 5 {
		_, rest, _ = bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	}
	if file = strings.TrimSpace(string(rest)); file == "" {
		file = "[anon]"
	}
	return inspectionPath(file), true
}

// takeAmount adds an amount to an area and to the sums.
func takeAmount(area *wire.InspectedMapping, full *wire.FullMemory, key string, amount uint64) {
	switch {
	case key == "Size":
		area.Size += amount
	case key == "Rss":
		area.RSS += amount
	case key == "Pss":
		area.PSS, full.PSS = area.PSS+amount, full.PSS+amount
	case strings.HasPrefix(key, "Private_"):
		area.Private, full.USS = area.Private+amount, full.USS+amount
	case key == "Swap":
		area.Swap, full.Swap = area.Swap+amount, full.Swap+amount
	}
}

// mappingSum returns the sum of two mappings of one file.
func mappingSum(to wire.InspectedMapping, more *wire.InspectedMapping) wire.InspectedMapping {
	return wire.InspectedMapping{Path: more.Path, Areas: to.Areas + more.Areas, Size: to.Size + more.Size,
		RSS: to.RSS + more.RSS, PSS: to.PSS + more.PSS, Private: to.Private + more.Private, Swap: to.Swap + more.Swap}
}
