package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// answer is the message with the result of a request to a node: a reply, which may be a refusal, or an error. The strings in the reply
// are as the node sent them: clean them before they go to a screen.
type answer struct {
	node    string
	request wire.Request
	reply   wire.Reply
	err     error
}

// patience is the timeout of a request.
const patience = 10 * time.Second

// ask sends a request to the probe of a node, without blocking the screen.
func (m *model) ask(node string, r wire.Request) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		reply, err := m.Controls.Ask(ctx, node, r)
		return answer{node: node, request: r, reply: reply, err: err}
	}
}
