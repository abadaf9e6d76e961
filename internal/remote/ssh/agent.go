package ssh

import (
	"cmp"
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// askAgent lists the keys of the agent at a socket. An agent that does not respond is skipped: key files may be enough.
func (d *Door) askAgent(ctx context.Context, socket string, ids *identities) []offeredKey {
	path := cmp.Or(socket, d.agent)
	if path == "" || path == "none" {
		return nil
	}
	if !d.hung.mayAsk(path, time.Now()) {
		ids.noteSkipped("ssh agent not responding")
		return nil
	}
	began := time.Now()
	conn, signers, err := d.listAgent(ctx, path)
	now := time.Now()
	d.hung.noteAgent(path, err != nil && now.Sub(began) >= d.limits.agent, now) // the library hides the deadline
	if err != nil {
		ids.noteSkipped("ssh agent not responding: %v", err)
		return nil
	}
	ids.agent = conn
	held := make([]offeredKey, len(signers))
	for i, s := range signers {
		held[i] = offeredKey{name: "key from the agent", signer: s}
		if k, ok := s.PublicKey().(*agent.Key); ok && k.Comment != "" {
			held[i].name = k.Comment + " (agent)"
		}
	}
	return held
}

func (d *Door) listAgent(ctx context.Context, path string) (net.Conn, []ssh.Signer, error) {
	dialer := net.Dialer{Timeout: d.limits.agent}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, nil, err
	}
	err = conn.SetDeadline(time.Now().Add(d.limits.agent))
	var signers []ssh.Signer
	if err == nil {
		signers, err = agent.NewClient(conn).Signers()
	}
	if err != nil {
		closeQuietly(conn)
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(d.limits.login)) // signing may have to wait for a touch of a security key
	return conn, signers, nil
}

// hungAgents remembers which agents did not respond, so that such an agent costs one wait and not one for each node.
type hungAgents struct {
	mu    sync.Mutex
	until map[string]time.Time // by socket: when the agent may be asked again
}

// hungFor is how long a hung agent is left alone. Then one node asks again.
const hungFor = 15 * time.Second

// mayAsk reports whether an agent may be asked now. If it hung before, only the first caller that asks again waits for
// it.
func (h *hungAgents) mayAsk(path string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	until, hung := h.until[path]
	if hung && now.Before(until) {
		return false
	}
	if hung {
		h.until[path] = now.Add(hungFor)
	}
	return true
}

func (h *hungAgents) noteAgent(path string, hung bool, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !hung {
		delete(h.until, path)
		return
	}
	if h.until == nil {
		h.until = map[string]time.Time{}
	}
	h.until[path] = now.Add(hungFor)
}
