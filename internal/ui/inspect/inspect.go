// Package inspect shows one process in detail: its environment, its metrics with their past, and a menu of texts to
// copy.
//
// Each is an overlay of the page of processes: it is drawn over that page, has the keyboard while it is open, and says
// when to close it. The page answers the keys that the overlay leaves to it. Draw changes only the canvas. Text from a
// node is cleaned before it is drawn or copied. An overlay belongs to one goroutine.
package inspect

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
)

// ruleRow is the row of the rule with the title of an overlay that covers the page, below the header.
const ruleRow = 2

// nodeAndPID names a process: "gpu-n02:358811".
func nodeAndPID(t *tally.Target) string { return t.Node + ":" + strconv.Itoa(t.PID) }

// rankOf is the rank of a process in words: "rank 11"; "" if it has none.
func rankOf(t *tally.Target) string {
	if t.Rank == nil {
		return ""
	}
	return "rank " + strconv.Itoa(t.Rank.Rank)
}

// copyText copies a text, and tells the user what was copied.
func copyText(what, text string) nav.Answer {
	return nav.Answer{Taken: true, Copy: text, Notice: "copied, if your terminal lets programs copy (OSC 52): " + what}
}
