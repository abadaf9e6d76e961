package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// gresLine is one line of `scontrol show job -d`: the GPUs of a job on some of its nodes.
type gresLine struct {
	nodes   string // in SLURM's notation
	minors  []int  // nil: it does not say which GPUs
	count   int
	counted bool // false: it does not say how many GPUs either, or has shares of GPUs
}

// parseShowJob returns the lines of each job by its number, from the output of `scontrol show job -d`. A user can write
// anything into the name of a job, which is printed raw. So a number that occurs twice has no lines: either one may be
// forged.
func parseShowJob(out []byte) map[string][]gresLine {
	jobs := map[string][]gresLine{}
	twice := map[string]bool{}
	number := ""
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\r\n")
		if id, ok := strings.CutPrefix(text, "JobId="); ok {
			number, _, _ = strings.Cut(id, " ")
			_, twice[number] = jobs[number]
			jobs[number] = nil
			continue
		}
		if rest, ok := strings.CutPrefix(text, "     Nodes="); ok && number != "" {
			if l, ok := parseGresLine(rest); ok {
				jobs[number] = append(jobs[number], l)
			}
		}
	}
	for number, no := range twice {
		if no {
			jobs[number] = nil
		}
	}
	return jobs
}

// parseGresLine reads "node[01-03,07] CPU_IDs=16 Mem=0 GRES=gpu:a100:4(IDX:0-3)".
func parseGresLine(s string) (gresLine, bool) {
	nodes, rest, _ := strings.Cut(s, " ")
	_, gres, ok := strings.Cut(rest, "GRES=")
	if !ok {
		return gresLine{}, false
	}
	l := gresLine{nodes: nodes, minors: []int{}, counted: true}
	named := true
	for _, item := range splitGres(gres) {
		minors, count, err := parseGres(item)
		l.counted = l.counted && err == nil
		named = named && len(minors) == count
		l.minors, l.count = append(l.minors, minors...), l.count+count
	}
	if !l.counted {
		l.count = 0
	}
	if !l.counted || !named {
		l.minors = nil
	}
	return l, true
}

// parseGres reads the GPUs of "gpu:a100:4(IDX:0-3)"; of another resource there are none. There are fewer minors than
// count if it does not say which they are.
func parseGres(item string) (minors []int, count int, err error) {
	name := item
	if end := strings.IndexAny(item, ":("); end >= 0 { // "gpu(CNT:2)" has no type and no count
		name = item[:end]
	}
	switch {
	case name == "gpu" && strings.Contains(item, "(IDX:"):
		minors, err = parseIDX(item)
		return minors, len(minors), err
	case name == "gpu":
		count, err = parseCount(item)
		return nil, count, err
	case name == "shard" || name == "mps": // shares of GPUs: "shard:a100:3(3/8,0/8)" has numbers of another kind
		return nil, 0, errors.New("a share of a GPU")
	case name == "" || strings.Contains(name, "/"): // "(null)", "gres/gpu:2"
		return nil, 0, fmt.Errorf("unexpected GRES %.40q", item)
	}
	return nil, 0, nil
}

// parseCount reads the number of GPUs of "gpu:a100:2(CNT:2)", "gpu(CNT:2)" or "gpu:a100:2".
func parseCount(item string) (int, error) {
	text, rest, more := strings.Cut(item, "(CNT:")
	if more {
		text, _, more = strings.Cut(rest, ")")
	} else {
		text = text[strings.LastIndexByte(text, ':')+1:]
		more = true
	}
	n, err := strconv.Atoi(text)
	if err != nil || !more || n < 0 || n > maxMinor+1 {
		return 0, fmt.Errorf("unexpected GRES %.40q", item)
	}
	return n, nil
}

// splitGres splits "gpu:a100:2(IDX:0,2),gpu:v100:1(IDX:4)" at the commas outside parentheses.
func splitGres(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ')
	})
}

// maxMinor is above the number of any GPU of a node.
const maxMinor = 1023

// parseIDX reads the minor numbers of "gpu:a100:3(IDX:0-1,3)". "IDX:N/A" means none.
func parseIDX(item string) ([]int, error) {
	_, idx, ok := strings.Cut(item, "(IDX:")
	if !ok {
		return nil, errors.New("no IDX")
	}
	idx, _, ok = strings.Cut(idx, ")")
	if !ok {
		return nil, errors.New("no ) after IDX")
	}
	if idx == "" || idx == "N/A" {
		return nil, nil
	}
	numbers, err := expandRanges(idx)
	if err != nil {
		return nil, err
	}
	var minors []int
	for _, number := range numbers {
		minor, err := strconv.Atoi(number)
		if err != nil || minor > maxMinor || len(minors) > maxMinor {
			return nil, fmt.Errorf("invalid GPU indices %.40q", idx)
		}
		minors = append(minors, minor)
	}
	return minors, nil
}
