package ui

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// naming shortens the names of a job's nodes so that they still differ where they can.
type naming struct {
	title string // what all names share
	short map[string]string
	wide  int // of the longest
}

// of is the short form of a name.
func (n *naming) of(name string) string {
	if s, ok := n.short[name]; ok {
		return s
	}
	return name
}

// namings keeps what was worked out for a job's nodes, by the room.
type namings struct {
	nodes  []string
	byRoom map[int]*naming
}

// naming is how the job's nodes are named where they have room columns each: whole, else without what they all begin with, else by
// the numbers in them that differ, else without their middles.
func (f *frame) naming(room int) *naming {
	k := &f.namings
	if !slices.Equal(k.nodes, f.job.Nodes) || k.byRoom == nil {
		k.nodes, k.byRoom = f.job.Nodes, map[int]*naming{}
	}
	n := k.byRoom[room]
	if n == nil {
		n = newNaming(f.job.Nodes, room)
		k.byRoom[room] = n
	}
	return n
}

// nodeName is the name of one of the job's nodes in w columns: with "…" for its middle while that tells it from the others.
func (f *frame) nodeName(name string, w int) string {
	if draw.Width(name) <= w {
		return name
	}
	for _, other := range f.job.Nodes {
		if other != name && draw.ClipMiddle(other, w) == draw.ClipMiddle(name, w) {
			return f.naming(w).of(name)
		}
	}
	return draw.ClipMiddle(name, w)
}

func newNaming(names []string, room int) *naming {
	prefix := commonPrefix(names, room)
	n := shortened(names, prefix, func(s string) string { return strings.TrimPrefix(s, prefix) })
	if n.wide <= room {
		return n
	}
	if title, labels := numbersThatDiffer(names, room); labels != nil {
		i := -1
		return shortened(names, title, func(string) string { i++; return labels[i] })
	}
	return shortened(names, prefix, func(s string) string { return draw.ClipMiddle(strings.TrimPrefix(s, prefix), room) })
}

func shortened(names []string, title string, short func(string) string) *naming {
	n := &naming{title: title, short: make(map[string]string, len(names))}
	for _, name := range names {
		s := short(name)
		n.short[name] = s
		n.wide = max(n.wide, draw.Width(s))
	}
	return n
}

// numbersThatDiffer is "03-17" for each of names that are alike but for some of the numbers in them, and what they share. The zeros
// that all have in front go when there is no room for them. Names that are not alike have no labels.
func numbersThatDiffer(names []string, room int) (title string, labels []string) {
	all := make([][]string, len(names))
	for i, name := range names {
		all[i] = runs(name)
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
		case k%2 == 0: // a text that differs
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

// runs parts a name into text, number, text, number…: the numbers have the odd places.
func runs(name string) []string {
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

// commonPrefix is what all names begin with; it does not end in a digit unless what is left would not fit into room.
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
