package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// hop is a host on the way to another host. For empty fields the configuration decides.
type hop struct{ user, host, port string }

func (h hop) String() string {
	s := h.host
	if h.user != "" {
		s = h.user + "@" + s
	}
	if h.port != "" {
		s += ":" + h.port
	}
	return s
}

// parseHop parses [user@]host[:port] or ssh://[user@]host[:port]. An IPv6 address with a port must be in brackets.
func parseHop(s string) (hop, error) {
	h := hop{host: strings.TrimSuffix(strings.TrimPrefix(s, "ssh://"), "/")}
	if at := strings.LastIndexByte(h.host, '@'); at >= 0 {
		h.user, h.host = h.host[:at], h.host[at+1:]
	}
	if host, port, err := net.SplitHostPort(h.host); err == nil {
		h.host, h.port = host, port
	}
	h.host = strings.Trim(h.host, "[]")
	if n, err := strconv.ParseUint(h.port, 10, 16); h.port != "" && (err != nil || n == 0) {
		return hop{}, fmt.Errorf("invalid port in %q", s)
	}
	if h.host == "" || strings.HasPrefix(h.host, "-") || strings.HasPrefix(h.user, "-") ||
		strings.ContainsAny(h.host+h.user, " \t\n/,") {
		return hop{}, fmt.Errorf("invalid host %q", s)
	}
	return h, nil
}

// setTarget determines the settings for the host.
func (a *hostLogin) setTarget(ctx context.Context) error {
	t, err := a.d.settings.For(ctx, a.node)
	if err != nil {
		return err
	}
	switch login := a.d.login; {
	case a.isJump:
		t = t.As(a.to.user, a.to.port)
		if a.before != "" {
			t.ProxyJump, t.ProxyCommand = a.before, ""
		}
	case login != nil:
		t = t.As("", "")
		t.ProxyJump, t.ProxyCommand = login.String(), ""
	}
	a.target = t
	return nil
}

// jumpKey identifies a jump host together with the hops before it.
func jumpKey(before string, to hop) string { return before + "," + to.String() }

// errCircle means that the route to a jump host leads through that host itself.
var errCircle = errors.New("ProxyJump leads in a circle")

// jumpHost returns the last jump host before the target, and registers it.
func (a *hostLogin) jumpHost() (*jump, error) {
	before, last := "", a.target.ProxyJump
	if comma := strings.LastIndexByte(last, ','); comma >= 0 {
		before, last = last[:comma], last[comma+1:]
	}
	to, err := parseHop(strings.TrimSpace(last))
	key := jumpKey(before, to)
	if err == nil && slices.Contains(a.path, key) {
		err = errCircle
	}
	if err != nil {
		return nil, a.configError(fmt.Errorf("ProxyJump %s: %w", a.target.ProxyJump, err))
	}
	return a.d.jumps.findJump(key, to, before, append(slices.Clip(a.path), key)), nil
}

func (a *hostLogin) configError(err error) error {
	return &remote.LocalError{What: "ssh configuration of " + a.node, Err: err}
}
