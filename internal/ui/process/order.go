package process

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// orders are the orders of the rows, as their columns stand on the screen.
var orders = []list.Order[table.ProcessRow]{
	{Column: "gpu", Words: "GPU", AsListed: true}, {Column: "pid"}, {Column: "user"}, {Column: "rank"},
	{Column: "gpu_memory_bytes"}, {Column: "sm_percent"}, {Column: "mem_util_percent"}, {Column: "cpu_percent"},
	{Column: "host_memory_percent"}, {Column: "elapsed_seconds"},
}

// listKeys are nvitop's.
var listKeys = &list.Keys{Filter: keys.FilterRows, Before: keys.SortBefore, After: keys.SortAfter,
	Reverse: keys.Reverse}

// letters are the columns by the key behind keys.SortBy. Its capital reverses the order.
var letters = []struct {
	letter rune
	column string
}{{'n', "gpu"}, {'p', "pid"}, {'u', "user"}, {'r', "rank"}, {'g', "gpu_memory_bytes"}, {'s', "sm_percent"},
	{'b', "mem_util_percent"}, {'c', "cpu_percent"}, {'m', "host_memory_percent"}, {'t', "elapsed_seconds"}}

// named sorts by the column of a letter, if it has one.
func (p *Page) named(s *part.Scene, k tea.KeyPressMsg) {
	p.asked = false
	for _, l := range letters {
		if strings.EqualFold(k.Text, string(l.letter)) {
			p.Sort(s, p.By(l.column, unicode.IsUpper([]rune(k.Text)[0])))
		}
	}
}

// sortHints are the keys behind keys.SortBy.
func sortHints(words func(column string) string) (hints []keys.Hint) {
	for _, l := range letters {
		hints = append(hints, keys.Hint{Key: string(l.letter), Verb: words(l.column)})
	}
	return append(hints, keys.Hint{Key: "capital", Verb: "reversed"}, keys.HintOf(keys.Back).As("cancel"))
}

// orderWords are ", by %CPU, least first".
func (p *Page) orderWords() string {
	by, down := p.Sorted.By, p.Sorted.Down
	text := ", by " + p.Words(by)
	switch {
	case by == "elapsed_seconds" && down:
		return text + ", longest first"
	case by == "elapsed_seconds":
		return text + ", shortest first"
	case p.DownFirst(by) && down:
		return text + ", most first"
	case p.DownFirst(by):
		return text + ", least first"
	case down:
		return text + ", last first"
	}
	return text
}
