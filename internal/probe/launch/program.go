package launch

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"os"
)

// programOf is a hash of the values that the ranks of one program share, empty if there are none. The values themselves
// stay on the node: the address of a host is among them.
func programOf(vars map[string]string, names []string) string {
	h, any := fnv.New32a(), false
	for _, name := range names {
		value := vars[name]
		any = any || value != ""
		_, _ = fmt.Fprintf(h, "%s=%s\x00", name, value) // a hash takes everything
		if name == mainAddress && here(value) {
			host, _ := os.Hostname() // without a name programs of several nodes are less apart
			_, _ = fmt.Fprintf(h, "on %s\x00", host)
		}
	}
	if !any {
		return ""
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// here reports whether an address means the host itself: on another host it means another program.
func here(address string) bool {
	ip, err := netip.ParseAddr(address)
	return address == "localhost" || err == nil && ip.IsLoopback()
}
