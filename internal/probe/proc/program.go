package proc

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"os"
)

// programOf returns a hash of the values that the ranks of one program share; empty if there are none. The values
// themselves stay on the node, since they include the address of a host.
func programOf(vars map[string]string, names []string) string {
	h, any := fnv.New32a(), false
	for _, name := range names {
		value := vars[name]
		any = any || value != ""
		_, _ = fmt.Fprintf(h, "%s=%s\x00", name, value) // writing to a hash never fails
		if name == mainAddress && isThisHost(value) {
			host, _ := os.Hostname() // without a host name, programs on several nodes are harder to tell apart
			_, _ = fmt.Fprintf(h, "on %s\x00", host)
		}
	}
	if !any {
		return ""
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// isThisHost reports whether an address means the host itself. On each host such an address means another program.
func isThisHost(address string) bool {
	ip, err := netip.ParseAddr(address)
	return address == "localhost" || err == nil && ip.IsLoopback()
}
