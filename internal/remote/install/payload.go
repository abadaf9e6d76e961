package install

import "sync"

// Payload is an executable that becomes a probe when run with the argument "probe".
type Payload struct {
	OS, Arch string                 // as GOOS and GOARCH
	Size     int64                  // of the executable
	SHA256   string                 // of the executable, in hex
	Gzip     func() ([]byte, error) // returns the compressed executable; called when a node needs a copy
}

// keepFirst returns f with its first successful result kept. Errors are not kept: a momentary lack of file descriptors
// must not be final.
func keepFirst[T any](f func() (T, error)) func() (T, error) {
	var mu sync.Mutex
	var kept *T
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if kept != nil {
			return *kept, nil
		}
		value, err := f()
		if err == nil {
			kept = &value
		}
		return value, err
	}
}

// unameOutput returns the output of `uname -sm` on the payload's platform.
func (p Payload) unameOutput() string {
	names := map[string]string{"linux/amd64": "Linux x86_64", "linux/arm64": "Linux aarch64",
		"linux/ppc64le": "Linux ppc64le", "linux/riscv64": "Linux riscv64"}
	if m := names[p.OS+"/"+p.Arch]; m != "" {
		return m
	}
	return p.OS + " " + p.Arch
}
