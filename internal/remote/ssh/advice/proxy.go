package advice

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// ruleForward handles the answer of a jump host that cannot, or will not, connect to a host.
func ruleForward(at *Circumstances, c *remote.Case, err error) bool {
	if _, ok := errors.AsType[*OpenError](err); !ok {
		return false
	}
	refused, ok := errors.AsType[*ssh.OpenChannelError](err)
	if !ok {
		c.Is(reach.ClassClosed, "jump host "+at.Via+": connection lost")
		c.Failure.Cause = ClosedByHost
		return true
	}
	c.Say(refused.Message)
	said := strings.ToLower(refused.Message)
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case refused.Reason == ssh.Prohibited || says("prohibited"):
		c.Is(reach.ClassDenied, at.Via+" does not forward connections")
		c.Failure.Meaning = "The jump host does not allow connections to this host (AllowTcpForwarding, PermitOpen)."
		c.Failure.Hints = []string{"ask your admins whether " + at.Via + " may be a jump host"}
	case says("refused"):
		c.Is(reach.ClassRefused, "connection refused")
	case says("no route", "unreachable", "host is down"):
		c.Is(reach.ClassNoRoute, "no route to host")
	case says("timed out", "timeout"):
		c.Is(reach.ClassTimeout, "no response")
	case says("name or service", "not known", "resolve", "unknown host", "no such host", "name resolution",
		"no address"):
		c.Is(reach.ClassUnknownHost, "unknown host")
	default:
		c.Is(reach.ClassOther, "not reached")
		c.Failure.Cause = refused.Message
	}
	c.Failure.Detail = "from " + at.Via
	return true
}

// ruleProxy handles a ProxyCommand that ended before the host spoke.
func ruleProxy(at *Circumstances, c *remote.Case) bool {
	if at.Proxy == nil {
		return false
	}
	c.Say(at.Proxy.Words)
	if c.Stage != StageSSH || remote.TimedOut(at.Broken) || at.Proxy.Signal != "" {
		return false
	}
	c.Is(reach.ClassClosed, "ProxyCommand failed")
	switch at.Proxy.Status {
	case 126, 127:
		c.Failure.Class = reach.ClassLocal
		c.Failure.Meaning = "The program that ProxyCommand names cannot be run on this host."
	default:
		c.Failure.Meaning = "The program that ProxyCommand names could not reach the host."
	}
	c.Failure.Detail = fmt.Sprintf("status %d", at.Proxy.Status)
	lines := strings.Split(strings.TrimSpace(at.Proxy.Words), "\n")
	c.Failure.Cause = lines[len(lines)-1]
	return true
}

// UseOpenSSH is the hint for when Go's ssh lacks algorithms that OpenSSH has.
const UseOpenSSH = "OpenSSH has more algorithms: --transport openssh"

// ruleAlgorithms handles a host with which we have no algorithm of some kind in common.
func ruleAlgorithms(c *remote.Case, err error) bool {
	e, ok := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	if !ok {
		return false
	}
	c.Say(e.Error())
	c.Is(reach.ClassOther, "no common algorithm")
	c.Failure.Detail = e.What
	c.Failure.Meaning = fmt.Sprintf("nvnodetop and the host have no algorithm in common for the %s. The host has %s. "+
		"nvnodetop may use %s.",
		e.What, strings.Join(e.RequestedAlgorithms, ", "), strings.Join(e.SupportedAlgorithms, ", "))
	c.Failure.Hints = []string{UseOpenSSH}
	return true
}
