package process

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// order is an order of the rows.
type order struct {
	by   table.ProcessOrder
	down bool // from the highest to the lowest
}

// orderBy sorts in the order's own direction, or in the other one.
func orderBy(by table.ProcessOrder, reversed bool) order { return order{by, downFirst[by] != reversed} }

// reversed is the same order in the other direction.
func (o order) reversed() order { return order{o.by, !o.down} }

// beside is the order that many places after this one, round the end.
func (o order) beside(places int) order {
	const n = int(table.ProcessOrders)
	return orderBy(table.ProcessOrder((int(o.by)+n+places)%n), false)
}

// downFirst are the orders that begin with the highest.
var downFirst = [table.ProcessOrders]bool{
	table.ByGPUMemory: true, table.ByProcessSM: true, table.ByMemRW: true, table.ByProcessCPU: true,
	table.ByHostMemory: true, table.ByTime: true,
}

// orderNames are the orders in words.
var orderNames = [table.ProcessOrders]string{
	"GPU", "PID", "user", "rank", "GPU-MEM", "%SM", "%MRW", "%CPU", "%MEM", "time",
}

// words are ", by %CPU, least first".
func (o order) words() string {
	text := ", by " + orderNames[o.by]
	switch {
	case o.by == table.ByTime && o.down:
		return text + ", longest first"
	case o.by == table.ByTime:
		return text + ", shortest first"
	case downFirst[o.by] && o.down:
		return text + ", most first"
	case downFirst[o.by]:
		return text + ", least first"
	case o.down:
		return text + ", last first"
	}
	return text
}

// sorting is the order of the rows, and what the keys that choose another one have said so far.
type sorting struct {
	order
	asked bool // the next key says by what
}

// press answers a key. chosen is the order that it asks for; nil: none.
func (x *sorting) press(k tea.KeyPressMsg) (chosen *order, taken bool) {
	switch {
	case x.asked && key.Matches(k, keys.Interrupt):
		return nil, false
	case x.asked:
		x.asked = false
		return named(k.Text), true
	case key.Matches(k, keys.SortBefore):
		return new(x.beside(-1)), true
	case key.Matches(k, keys.SortAfter):
		return new(x.beside(+1)), true
	case key.Matches(k, keys.Reverse):
		return new(x.reversed()), true
	case key.Matches(k, keys.SortBy):
		x.asked = true
		return nil, true
	}
	return nil, false
}

// heading is the order that a click on a heading asks for: once more, and it is reversed.
func (x *sorting) heading(by table.ProcessOrder) order {
	if by == x.by {
		return x.reversed()
	}
	return orderBy(by, false)
}

// letters are the orders by the key behind keys.SortBy. Its capital reverses them.
var letters = map[rune]table.ProcessOrder{
	'n': table.ByPlace, 'p': table.ByPID, 'u': table.ByUser, 'r': table.ByProcessRank, 'g': table.ByGPUMemory,
	's': table.ByProcessSM,
	'b': table.ByMemRW, 'c': table.ByProcessCPU, 'm': table.ByHostMemory, 't': table.ByTime,
}

// named is the order of a letter; nil: it has none.
func named(letter string) *order {
	for l, by := range letters {
		if strings.EqualFold(letter, string(l)) {
			return new(orderBy(by, unicode.IsUpper([]rune(letter)[0])))
		}
	}
	return nil
}

// sortHints are the keys behind keys.SortBy.
var sortHints = func() (hints []keys.Hint) {
	for _, letter := range "npurgsbcmt" {
		hints = append(hints, keys.Hint{Key: string(letter), Verb: orderNames[letters[letter]]})
	}
	return append(hints, keys.Hint{Key: "capital", Verb: "reversed"}, keys.HintOf(keys.Back).As("cancel"))
}()
