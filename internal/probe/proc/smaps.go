package proc

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strconv"
)

// Rollup is the memory of a process, in bytes.
type Rollup struct{ RSS, PSS, Private, Shared uint64 }

// Rollup reads the sums over all memory areas. The kernel walks all pages for it, and before Linux 4.14 gives the
// amounts only area by area.
func (p Process) Rollup() (sum Rollup, err error) {
	f, err := os.Open(p.filePath("smaps_rollup"))
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.Open(p.filePath("smaps"))
	}
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, amount, _ := Amount(lines.Bytes())
		switch key {
		case "Rss":
			sum.RSS += amount
		case "Pss":
			sum.PSS += amount
		case "Private_Clean", "Private_Dirty":
			sum.Private += amount
		case "Shared_Clean", "Shared_Dirty":
			sum.Shared += amount
		}
	}
	return sum, lines.Err()
}

// Amount parses a line of smaps such as "Private_Dirty:        12 kB".
func Amount(line []byte) (key string, amount uint64, is bool) {
	name, rest, found := bytes.Cut(line, []byte(":"))
	text, kilo := bytes.CutSuffix(bytes.TrimSpace(rest), []byte(" kB"))
	if !found || !kilo {
		return "", 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 54)
	return string(name), n << 10, err == nil
}
