package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// answer is the message by which a question to a node comes back: with a reply, which may be a refusal, or with why there is none.
// What stands in the reply is the node's, as it came: who shows it makes it fit for a screen.
type answer struct {
	node    string
	request wire.Request
	reply   wire.Reply
	err     error
}

// patience is how long a person waits for an answer.
const patience = 10 * time.Second

// ask asks the probe of a node for something, beside the screen.
func (m *model) ask(node string, r wire.Request) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		reply, err := m.Controls.Ask(ctx, node, r)
		return answer{node: node, request: r, reply: reply, err: err}
	}
}
