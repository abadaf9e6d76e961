package notation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseGRES reads the GPUs of an item such as "gpu:a100:4(IDX:0-3)"; another resource has none. There are fewer minors
// than count if the text does not list them.
func ParseGRES(item string) (minors []int, count int, err error) {
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
	case isShared(item): // "shard:a100:3(3/8,0/8)" has numbers with another meaning
		if _, n, err := sharedGPUs(item); n > 0 || err != nil {
			return nil, 0, errors.New("a share of a GPU")
		}
		return nil, 0, nil
	case name == "" || strings.Contains(name, "/"): // "(null)", "gres/gpu:2"
		return nil, 0, fmt.Errorf("unexpected GRES %.40q", item)
	}
	return nil, 0, nil
}

// parseCount reads the number of GPUs in "gpu:a100:2(CNT:2)", "gpu(CNT:2)" or "gpu:a100:2".
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

// SplitGRES splits "gpu:a100:2(IDX:0,2),gpu:v100:1(IDX:4)" at the commas outside parentheses.
func SplitGRES(s string) []string {
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

// maxMinor is higher than the minor number of any GPU on a node.
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
	numbers, err := ExpandRanges(idx)
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

// CountGPUs counts the GPUs in the resources of a node: "gpu:a100:4(S:0-1),gpu:2,nic:1".
func CountGPUs(list string) (count int, err error) {
	for _, item := range SplitGRES(list) {
		name, _, _ := strings.Cut(item, "(")
		parts := strings.Split(name, ":")
		if parts[0] != "gpu" {
			continue
		}
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil || n < 0 || n > maxMinor+1 {
			return 0, errors.New("unexpected GRES of a node")
		}
		count += n
	}
	return count, nil
}

// RequestedGPUs returns how many GPUs a job requests in total, from its request per node ("gres:gpu:a100:4", "gpu:2",
// or several separated by commas). It is nil for requests that %b does not show, such as --gpus.
func RequestedGPUs(gres string, nodes int) *int {
	perNode, found := 0, false
	for item := range strings.SplitSeq(gres, ",") {
		parts := strings.FieldsFunc(strings.TrimPrefix(strings.TrimPrefix(item, "gres:"), "gres/"),
			func(r rune) bool { return r == ':' || r == '=' })
		if len(parts) == 0 || parts[0] != "gpu" {
			continue
		}
		count := 1
		if last := parts[len(parts)-1]; len(parts) > 1 {
			if n, err := strconv.ParseUint(last, 10, 16); err == nil {
				count = int(n)
			} else if len(parts) > 2 {
				return nil
			}
		}
		perNode, found = perNode+count, true
	}
	if !found || nodes <= 0 {
		return nil
	}
	total := perNode * nodes
	return &total
}
