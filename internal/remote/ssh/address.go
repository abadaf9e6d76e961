package ssh

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"
)

// longest is the longest ConnectTimeout that is respected.
const longest = 30 * time.Second

// connectTimeout returns how long to wait for a connection, or for the first bytes from sshd: the configured time, or
// the usual one.
func (a *hostLogin) connectTimeout(usual time.Duration) time.Duration {
	if t := a.target.ConnectTimeout; t > 0 {
		return min(t, longest)
	}
	return usual
}

// ofFamily returns the addresses that AddressFamily permits.
func ofFamily(addrs []net.IPAddr, family string) []net.IPAddr {
	return slices.DeleteFunc(addrs, func(a net.IPAddr) bool {
		is4 := a.IP.To4() != nil
		return family == "inet" && !is4 || family == "inet6" && is4
	})
}

// sourceAddress returns the local address for a connection to another one, according to BindAddress or BindInterface;
// nil: any.
func (a *hostLogin) sourceAddress(ctx context.Context, to net.IPAddr) (net.Addr, error) {
	var from []net.IPAddr
	var err error
	var option string
	switch {
	case a.target.BindAddress != "":
		option = "BindAddress " + a.target.BindAddress
		from, err = net.DefaultResolver.LookupIPAddr(ctx, a.target.BindAddress)
	case a.target.BindInterface != "":
		option = "BindInterface " + a.target.BindInterface
		from, err = addressesOf(a.target.BindInterface)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, a.configError(fmt.Errorf("%s: %w", option, err))
	}
	for _, addr := range from {
		if (addr.IP.To4() == nil) == (to.IP.To4() == nil) {
			return &net.TCPAddr{IP: addr.IP, Zone: addr.Zone}, nil
		}
	}
	return nil, a.configError(fmt.Errorf("%s has no address of the family of %s", option, to.String()))
}

// addressesOf returns the addresses of an interface, starting with those that other hosts can reach.
func addressesOf(name string) ([]net.IPAddr, error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return nil, err
	}
	all, err := i.Addrs()
	if err != nil {
		return nil, err
	}
	var far, near []net.IPAddr
	for _, addr := range all {
		n, ok := addr.(*net.IPNet)
		switch {
		case !ok:
		case n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast():
			near = append(near, net.IPAddr{IP: n.IP, Zone: zoneOf(n.IP, name)})
		default:
			far = append(far, net.IPAddr{IP: n.IP})
		}
	}
	return append(far, near...), nil
}

// zoneOf returns the zone of an address of an interface.
func zoneOf(ip net.IP, name string) string {
	if ip.To4() == nil && ip.IsLinkLocalUnicast() {
		return name
	}
	return ""
}
