package stacks

import (
	"net/netip"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// nodesByAddress maps addresses to the nodes of a job that report them. An address that several nodes have, such as
// that of a bridge for containers, maps to no node.
type nodesByAddress map[netip.Addr]string

// addAddresses records the addresses of a node.
func (h nodesByAddress) addAddresses(node string, addresses []string) {
	for _, text := range addresses[:min(len(addresses), wire.MaxAddresses)] {
		a, err := netip.ParseAddr(text)
		if err != nil {
			continue
		}
		if other, known := h[a.Unmap()]; known && other != node {
			h[a.Unmap()] = ""
		} else {
			h[a.Unmap()] = node
		}
	}
}

// namedAddress puts the name of its node before the address of a socket: "node04 (10.77.1.4:29600)".
func (h nodesByAddress) namedAddress(address string) string {
	a, err := netip.ParseAddrPort(address)
	if err != nil || h[a.Addr().Unmap()] == "" {
		return address
	}
	return h[a.Addr().Unmap()] + " (" + address + ")"
}

// namePeers names the nodes at the other end of connections, once all nodes have reported their addresses.
func (l *Observation) namePeers(h nodesByAddress) {
	for i := range l.Ranks {
		if p := l.Ranks[i].Process; p != nil {
			h.namePeerNodes(p)
		}
		for k := range l.Ranks[i].Workers {
			h.namePeerNodes(&l.Ranks[i].Workers[k])
		}
	}
}

func (h nodesByAddress) namePeerNodes(p *wire.ProcessStacks) {
	for i := range p.Unsent {
		p.Unsent[i].Peer = h.namedAddress(p.Unsent[i].Peer)
	}
	for i := range p.Threads {
		if c := p.Threads[i].Call; c != nil {
			c.Peer = h.namedAddress(c.Peer)
		}
	}
}
