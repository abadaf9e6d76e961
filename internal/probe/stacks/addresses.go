package stacks

import (
	"net"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Addresses are those at which other nodes reach this one. Nobody is asked for names.
func Addresses() (list []string) {
	all, _ := net.InterfaceAddrs() // none
	for _, a := range all {
		n, is := a.(*net.IPNet)
		if is && n.IP.IsGlobalUnicast() && len(list) < wire.MaxAddresses {
			list = append(list, n.IP.String())
		}
	}
	return list
}
