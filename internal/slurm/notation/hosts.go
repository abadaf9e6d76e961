package notation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// MaxHosts is the maximum number of hosts in a list: four times the largest cluster that SLURM is known to run.
const MaxHosts = 65536

// maxHostName is longer than any name that DNS permits.
const maxHostName = 255

var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// IsHost reports whether ssh, a shell and SLURM can understand a name only as a host name.
func IsHost(name string) bool { return len(name) <= maxHostName && hostName.MatchString(name) }

// CheckHosts returns an error if one of the names is not a host name.
func CheckHosts(names []string) error {
	for _, name := range names {
		if !IsHost(name) {
			return fmt.Errorf("invalid host name %.80q", name)
		}
	}
	return nil
}

// ExpandHosts expands a host list in SLURM's notation, in order and with repetitions: "gpu[01-03,07],login" names
// five hosts. A name may have several brackets. Leading zeros of a range's first number pad all its numbers.
func ExpandHosts(list string) ([]string, error) {
	items, err := splitHostlist(list)
	if err != nil {
		return nil, fmt.Errorf("host list %.80q: %w", list, err)
	}
	var hosts []string
	for _, item := range items {
		if hosts, err = expandItem(hosts, item); err != nil {
			return nil, fmt.Errorf("host list %.80q: %w", list, err)
		}
	}
	return hosts, nil
}

var ErrTooManyHosts = fmt.Errorf("more than %d hosts", MaxHosts)

// splitHostlist splits a list at the commas outside brackets.
func splitHostlist(list string) ([]string, error) {
	var items []string
	start, open := 0, -1
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || (list[i] == ',' && open < 0):
			item := strings.TrimSpace(list[start:i])
			if item == "" {
				return nil, errors.New("empty name")
			}
			items = append(items, item)
			start = i + 1
		case list[i] == '[' && open >= 0:
			return nil, errors.New("nested brackets")
		case list[i] == '[':
			open = i
		case list[i] == ']' && open < 0:
			return nil, errors.New("unmatched ]")
		case list[i] == ']':
			open = -1
		}
	}
	if open >= 0 {
		return nil, errors.New("unmatched [")
	}
	return items, nil
}

// expandItem appends the hosts of one item: the text before its first bracket, combined with each number in the bracket
// and each expansion of the rest. The brackets must be balanced.
func expandItem(hosts []string, item string) ([]string, error) {
	names := []string{""}
	for item != "" {
		text, rest, bracketed := strings.Cut(item, "[")
		if strings.ContainsAny(text, " \t\r\n") {
			return nil, fmt.Errorf("%q contains a space", text)
		}
		inside, after, _ := strings.Cut(rest, "]")
		numbers := []string{""}
		if bracketed {
			var err error
			if numbers, err = ExpandRanges(inside); err != nil {
				return nil, err
			}
		}
		if len(hosts)+len(names)*len(numbers) > MaxHosts {
			return nil, ErrTooManyHosts
		}
		next := make([]string, 0, len(names)*len(numbers))
		for _, name := range names {
			for _, number := range numbers {
				next = append(next, name+text+number)
			}
		}
		if len(next[0]) > maxHostName {
			return nil, fmt.Errorf("name longer than %d characters", maxHostName)
		}
		names, item = next, after
	}
	return append(hosts, names...), nil
}

// ExpandRanges expands the text inside a bracket, such as "01-03,7".
func ExpandRanges(ranges string) ([]string, error) {
	var numbers []string
	for r := range strings.SplitSeq(ranges, ",") {
		first, last, isRange := strings.Cut(r, "-")
		if !isRange {
			last = first
		}
		from, err := parseHostNumber(first)
		if err != nil {
			return nil, err
		}
		to, err := parseHostNumber(last)
		if err != nil {
			return nil, err
		}
		if to < from {
			return nil, fmt.Errorf("range %q is descending: write %s-%s", r, last, first)
		}
		if to-from >= uint64(MaxHosts-len(numbers)) {
			return nil, ErrTooManyHosts
		}
		for n := range to - from + 1 {
			numbers = append(numbers, fmt.Sprintf("%0*d", len(first), from+n))
		}
	}
	return numbers, nil
}

// parseHostNumber accepts only digits: no sign, no space.
func parseHostNumber(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == math.MaxUint64 || len(s) > maxHostName {
		return 0, fmt.Errorf("%.20q is not a number", s)
	}
	return n, nil
}

// maxArgument is below the kernel's limit for one argument (128 KiB).
const maxArgument = 100 << 10

// BatchHosts splits node lists into runs, each of which fits into one argument of a command.
func BatchHosts(lists []string) [][]string { return splitBatches(lists, maxArgument) }

// splitBatches splits items into runs of at most limit characters, counting 3 between two items. An item that is longer
// gets a run of its own.
func splitBatches(items []string, limit int) (runs [][]string) {
	size := 0
	for _, item := range items {
		if len(runs) == 0 || size+len(item) > limit {
			runs, size = append(runs, nil), 0
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], item)
		size += len(item) + 3
	}
	return runs
}
