package draw

import (
	"cmp"
	"strings"
)

// Naming shortens the names of a job's nodes so that they still differ where possible.
type Naming struct {
	Title string // the part common to all names
	Wide  int    // the width of the longest short form
	short map[string]string
}

// Of returns the short form of a name.
func (n *Naming) Of(name string) string { return cmp.Or(n.short[name], name) }

// NewNaming shortens names to room columns each. It takes the first form that works: whole, without their common
// prefix, only the numbers that differ, or clipped.
func NewNaming(names []string, room int) *Naming {
	prefix := commonPrefix(names, room)
	n := shortNames(names, prefix, func(s string) string { return strings.TrimPrefix(s, prefix) })
	if n.Wide <= room {
		return n
	}
	if title, labels := numbersThatDiffer(names, room); labels != nil {
		i := -1
		return shortNames(names, title, func(string) string { i++; return labels[i] })
	}
	return shortNames(names, prefix, func(s string) string { return ClipMiddle(strings.TrimPrefix(s, prefix), room) })
}

func shortNames(names []string, title string, short func(string) string) *Naming {
	n := &Naming{Title: title, short: make(map[string]string, len(names))}
	for _, name := range names {
		s := short(name)
		n.short[name] = s
		n.Wide = max(n.Wide, Width(s))
	}
	return n
}

// numbersThatDiffer labels names that differ only in some of their numbers by those numbers ("03-17") and returns the
// common pattern as their title. Leading zeros that all labels share are dropped if they do not fit. Names that differ
// otherwise get no labels.
func numbersThatDiffer(names []string, room int) (title string, labels []string) {
	all := make([][]string, len(names))
	for i, name := range names {
		all[i] = splitDigits(name)
		if len(all[i]) != len(all[0]) {
			return "", nil
		}
	}
	labels = make([]string, len(names))
	stripped := make([]string, len(names))
	longest := 0
	for k, first := range all[0] {
		same, zeros := true, len(first)
		for _, r := range all {
			same = same && r[k] == first
			zeros = min(zeros, len(r[k])-len(strings.TrimLeft(r[k], "0")), len(r[k])-1)
		}
		switch {
		case same:
			title += first
			continue
		case k%2 == 0: // the texts differ
			return "", nil
		}
		title += "…"
		for i, r := range all {
			if labels[i] != "" {
				labels[i] += "-"
				stripped[i] += "-"
			}
			labels[i] += r[k]
			stripped[i] += r[k][zeros:]
			longest = max(longest, len(labels[i]))
		}
	}
	switch {
	case longest == 0: // one name
		return "", nil
	case longest > room:
		return title, stripped
	}
	return title, labels
}

// splitDigits splits a name into alternating text and digits; odd indices hold digits.
func splitDigits(name string) []string {
	parts := []string{""}
	digits := false
	for i := range len(name) {
		if d := name[i] >= '0' && name[i] <= '9'; d != digits {
			parts = append(parts, "")
			digits = d
		}
		parts[len(parts)-1] += name[i : i+1]
	}
	return parts
}

// commonPrefix returns the common prefix of all names. It ends in a digit only if the rest would not fit into room
// otherwise.
func commonPrefix(names []string, room int) string {
	if len(names) < 2 {
		return ""
	}
	p, longest := names[0], 0
	for _, name := range names {
		for !strings.HasPrefix(name, p) {
			p = p[:len(p)-1]
		}
		longest = max(longest, len(name))
	}
	if short := strings.TrimRight(p, "0123456789"); longest-len(short) <= room {
		return short
	}
	return strings.ToValidUTF8(p, "")
}
