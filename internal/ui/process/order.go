package process

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// orders are the orders of the rows, in the order of their columns on the screen: those of the columns with a letter.
var orders = ordersWithLetter()

func ordersWithLetter() (orders []list.Order[table.ProcessRow]) {
	for _, key := range rows.ProcessTable.Usual() {
		if columnLetter(key) != 0 {
			orders = append(orders, list.Order[table.ProcessRow]{Column: key, AsListed: key == "gpu"})
		}
	}
	return orders
}

// columnLetter is the letter of a column after keys.SortBy. The capital letter reverses the order.
func columnLetter(column string) rune { return rows.Processes.Field(column).Letter }

// listKeys are the keys of the list. The key that sorts in other lists asks for a column here.
var listKeys = &list.Keys{Filter: keys.FilterRows, Before: keys.SortBefore, After: keys.SortAfter,
	Reverse: keys.ReverseRows}

// sortByLetter sorts by the column with a letter, if there is one.
func (p *Page) sortByLetter(s *part.Scene, k tea.KeyPressMsg) {
	p.asked = false
	for _, o := range orders {
		if strings.EqualFold(k.Text, string(columnLetter(o.Column))) {
			p.Sort(s, p.By(o.Column, unicode.IsUpper([]rune(k.Text)[0])))
		}
	}
}

// sortHints are the hints of the keys after keys.SortBy.
func sortHints(words func(column string) string) (hints []keys.Hint) {
	for _, o := range orders {
		hints = append(hints, keys.Hint{Key: string(columnLetter(o.Column)), Verb: words(o.Column)})
	}
	return append(hints, keys.Hint{Key: "capital", Verb: "reversed"}, keys.HintOf(keys.Back).As("cancel"))
}

// orderWords is ", by %CPU, least first".
func orderWords(l *list.List[table.ProcessRow, nav.Process]) string {
	by, down := l.Sorted.By, l.Sorted.Down
	text := ", by " + l.Words(by)
	switch {
	case by == "elapsed_seconds" && down:
		return text + ", longest first"
	case by == "elapsed_seconds":
		return text + ", shortest first"
	case l.DownFirst(by) && down:
		return text + ", most first"
	case l.DownFirst(by):
		return text + ", least first"
	case down:
		return text + ", last first"
	}
	return text
}
