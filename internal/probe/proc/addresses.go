package proc

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"slices"
)

// InterfaceAddresses returns those at which other hosts reach the network namespace of a process, at most limit.
func InterfaceAddresses(process Process, limit int) []string {
	all := slices.Concat(parseRoutes(readTable(process, "/net/fib_trie")),
		parseAddresses6(readTable(process, "/net/if_inet6")))
	var list []string
	for _, a := range all {
		if name := a.String(); a.IsGlobalUnicast() && len(list) < limit && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// readTable reads a list of the kernel; it is empty if there is none, as for IPv6 in a kernel without it.
func readTable(process Process, name string) []byte {
	f, err := os.Open(string(process) + name)
	if err != nil {
		return nil
	}
	list, _ := io.ReadAll(io.LimitReader(f, maxSocketTable)) // what was read so far counts
	_ = f.Close()                                            // open for reading only: a failure loses nothing
	return list
}

// parseRoutes returns the namespace's own IPv4 addresses. The routing table has a leaf for each address, and below it
// says what the address is.
func parseRoutes(list []byte) (own []netip.Addr) {
	var leaf netip.Addr
	for line := range bytes.Lines(list) {
		line = bytes.TrimSpace(line)
		if name, is := bytes.CutPrefix(line, []byte("|-- ")); is {
			leaf, _ = netip.ParseAddr(string(name)) // invalid text is no global address
		} else if string(line) == "/32 host LOCAL" {
			own = append(own, leaf)
		}
	}
	return own
}

// parseAddresses6 returns the namespace's own IPv6 addresses: each line begins with one.
func parseAddresses6(list []byte) (own []netip.Addr) {
	for line := range bytes.Lines(list) {
		digits, _, _ := bytes.Cut(line, []byte(" "))
		raw, err := hex.DecodeString(string(digits))
		if a, is := netip.AddrFromSlice(raw); err == nil && is {
			own = append(own, a)
		}
	}
	return own
}
