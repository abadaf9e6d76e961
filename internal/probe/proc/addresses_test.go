package proc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// routeList has the same addresses twice, as the kernel lists them, and networks and broadcasts, which are no hosts.
const routeList = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.1
           /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     +-- 192.0.2.0/24 2 0 2
        |-- 192.0.2.0
           /24 link UNICAST
        |-- 192.0.2.2
           /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
Local:
        |-- 192.0.2.2
           /32 host LOCAL
`

const addresses6 = `20010db8000000000000000000000002 04 40 00 82     eth0
fe8000000000000000fc00fffe000001 04 40 20 80     eth0
00000000000000000000000000000001 01 80 10 80       lo
zz
`

func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	if got := InterfaceAddresses(Process(dir), 9); len(got) > 0 {
		t.Errorf("without lists: %q", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "net"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"fib_trie": routeList, "if_inet6": addresses6} {
		if err := os.WriteFile(filepath.Join(dir, "net", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"192.0.2.2", "2001:db8::2"}
	if got := InterfaceAddresses(Process(dir), 9); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := InterfaceAddresses(Process(dir), 1); !slices.Equal(got, want[:1]) {
		t.Errorf("at most one: %q", got)
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add([]byte(routeList))
	f.Add([]byte(addresses6))
	f.Fuzz(func(_ *testing.T, list []byte) {
		parseRoutes(list)
		parseAddresses6(list)
	})
}
