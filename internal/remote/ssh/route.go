package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// reachHost connects to the host's sshd according to the settings.
func (a *hostLogin) reachHost(ctx context.Context) (*sshconn.Watched, error) {
	switch {
	case a.target.ProxyJump != "":
		return a.connectByJump(ctx)
	case a.target.ProxyCommand != "":
		return a.connectByProxy(ctx)
	}
	addrs, err := a.resolveName(ctx)
	if err != nil {
		return nil, err
	}
	return a.dialAddresses(ctx, addrs)
}

// connectByJump connects through a jump host, which resolves the name.
func (a *hostLogin) connectByJump(ctx context.Context) (*sshconn.Watched, error) {
	j, err := a.jumpHost()
	if err != nil {
		return nil, err
	}
	a.via = j
	a.log.Done("resolved by " + j.to.host)
	a.log.Begin(advice.StageTCP, "connecting to "+j.to.host)
	s, err := j.getShell(ctx, a.asker)
	if err != nil {
		return nil, err
	}
	if a.d.login != nil && !a.isJump {
		a.behindLogin(j, s)
	}
	a.log.Begin(advice.StageTCP, j.to.host+" connects to port "+a.target.Port)
	ctx, cancel := context.WithTimeout(ctx, a.connectTimeout(a.d.limits.tcp))
	defer cancel()
	conn, err := j.openConn(ctx, s, a.target.HostName, a.target.Port)
	if err != nil {
		return nil, err
	}
	a.log.Done("port " + a.target.Port + " open, through " + j.to.host)
	return &sshconn.Watched{Conn: conn}, nil
}

// connectByProxy connects through a ProxyCommand. Only sshd's answer shows whether it reaches the host.
func (a *hostLogin) connectByProxy(ctx context.Context) (*sshconn.Watched, error) {
	a.log.Done("resolved by ProxyCommand")
	a.log.Begin(advice.StageTCP, "starting ProxyCommand")
	started, err := a.d.starts.Take(ctx)
	if err != nil {
		return nil, err
	}
	time.AfterFunc(a.d.limits.start, started) // spreads the cost, and does not wait for a dead host
	p, err := settings.StartProxy(a.target.Expand(a.target.ProxyCommand))
	if err != nil {
		return nil, &remote.LocalError{What: "cannot start ProxyCommand", Err: err}
	}
	a.proxy = p
	a.log.Done("started ProxyCommand")
	return &sshconn.Watched{Conn: sshconn.Timed(p, a.target.HostName, a.target.Port, func() { closeQuietly(p) })}, nil
}

func (a *hostLogin) resolveName(ctx context.Context) ([]net.IPAddr, error) {
	end, err := a.d.lookups.Take(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, a.d.limits.name)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, a.target.HostName)
	if err != nil {
		return nil, err
	}
	if addrs = ofFamily(addrs, a.target.AddressFamily); len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no address of AddressFamily " + a.target.AddressFamily, Name: a.target.HostName,
			IsNotFound: true}
	}
	a.log.Done(fmt.Sprintf("%s is %s", a.node, addrs[0].String()))
	return addrs, nil
}

// dialAddresses tries the addresses in the resolver's order, and keeps the first that responds.
func (a *hostLogin) dialAddresses(ctx context.Context, addrs []net.IPAddr) (*sshconn.Watched, error) {
	a.log.Begin(advice.StageTCP, "connecting to port "+a.target.Port)
	limit := a.connectTimeout(a.d.limits.tcp)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var first error
	for i, addr := range addrs {
		conn, err := a.connectTo(ctx, addr, limit/time.Duration(len(addrs)-i))
		if err == nil {
			a.log.Done("port " + a.target.Port + " open")
			return &sshconn.Watched{Conn: conn}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// connectTo connects to one of the host's addresses.
func (a *hostLogin) connectTo(ctx context.Context, addr net.IPAddr, limit time.Duration) (net.Conn, error) {
	from, err := a.sourceAddress(ctx, addr)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: limit, LocalAddr: from}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), a.target.Port))
	if from != nil && errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, a.configError(fmt.Errorf("BindAddress %s is not an address of this host", a.target.BindAddress))
	}
	return conn, err
}
