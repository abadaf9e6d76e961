package nav

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Window is the part of a list that is on the screen.
type Window struct{ From, Shown, All int }

// Hidden returns the number of rows that are not on the screen.
func (w Window) Hidden() int { return w.All - w.Shown }

// Where says which rows are on the screen and which keys lead to the others: "1–16 of 64 PgDn"; "" if all are on the
// screen.
func (w Window) Where() string { return Position(w.From, w.From+w.Shown, w.All) }

// Next returns the next of n places for which is returns true, starting after at, in steps of by (+1 or -1), with a
// wrap at the ends; at itself if there is no other.
func Next(n, at, by int, is func(i int) bool) int {
	for i := 1; i < n; i++ {
		if next := ((at+i*by)%n + n) % n; is(next) {
			return next
		}
	}
	return at
}

// Position is Where for the rows from one place up to another.
func Position(from, to, all int) string {
	if to-from >= all {
		return ""
	}
	return Places(from, to, all) + PageKeys(from, to, all)
}

// Places says which rows of a list are on the screen.
func Places(from, to, all int) string {
	return strconv.Itoa(from+1) + "–" + strconv.Itoa(to) + " of " + strconv.Itoa(all)
}

// PageKeys names the keys that lead to the other rows.
func PageKeys(from, to, all int) string {
	text := " "
	if from > 0 {
		text += " " + keys.Name(keys.PageUp)
	}
	if to < all {
		text += " " + keys.Name(keys.PageDown)
	}
	return text
}
