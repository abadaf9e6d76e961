package list

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// footerHints returns the keys of the footer that have an effect on the row under the cursor. Keys that bring hidden
// rows back come first.
func (l *List[Row, Key]) footerHints(s *part.Scene) []keys.Hint {
	hints := append(footer.MouseHints(s), keys.HintOf(l.Keys.Before, l.Keys.After).As("column"))
	if l.Filter.On(l.filterJob(s)) {
		hints = append(hints, keys.HintOf(keys.Back).As("clear filter"))
	}
	v := l.View(s)
	at := l.cursor.At(l.cursorList(s, v))
	for _, h := range l.Hints {
		switch {
		case h == keys.Jobs && len(s.Snap.Jobs) < 2:
		case h == keys.Problem && (v.Len() == 0 || l.Problem != nil && l.nextProblemRow(s, v, at, +1) == at):
		case h == keys.HintOf(keys.Open):
			if word := l.opensWord(s, v, at); word != "" {
				hints = append(hints, h.As(word))
			}
		case h == keys.HintOf(keys.Worst):
			hints = append(hints, h.As("sort: "+l.Words(l.Sorted.By)))
		default:
			hints = append(hints, h)
		}
	}
	if l.RowHints != nil && v.Len() > 0 {
		hints = append(hints, l.RowHints(s, v.At(at))...)
	}
	return append(append(hints, l.Node.nodeHints(s)...), footer.LastHints...)
}

// opensWord says what Enter opens on the row at an index; "": nothing.
func (l *List[Row, Key]) opensWord(s *part.Scene, v *View[Row], at int) string {
	switch {
	case v.Len() == 0:
		return ""
	case l.Opens == nil:
		return keys.Open.Help().Desc
	}
	return l.Opens(s, v.At(at))
}
