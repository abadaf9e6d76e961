package part

import (
	"slices"
	"strings"
)

// Buttons are the keys of the last footer that was drawn, for the mouse.
type Buttons struct{ list []Button }

// Button is a key, and its columns.
type Button struct {
	Key   string
	X, To int
}

// Add adds a key that was drawn.
func (b *Buttons) Add(k Button) { b.list = append(b.list, k) }

// Forget begins a new footer, in which no key is drawn yet.
func (b *Buttons) Forget() { b.list = b.list[:0] }

// At returns the key in a column.
func (b *Buttons) At(x int) (k Button, is bool) {
	at := slices.IndexFunc(b.list, func(k Button) bool { return k.X <= x && x < k.To })
	if at < 0 {
		return Button{}, false
	}
	return b.list[at], true
}

// arrows names the arrow keys in ASCII: "^v" would be read as Ctrl-V.
var arrows = strings.NewReplacer("↑↓", "Up/Dn", "←→", "Lf/Rt", "↑", "Up", "↓", "Dn", "←", "Lf", "→", "Rt")

// KeyName returns keys as they are written on this terminal.
func (s *Scene) KeyName(keys string) string {
	if s.ASCII {
		return arrows.Replace(keys)
	}
	return keys
}
