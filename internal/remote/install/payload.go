package install

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// Payload is an executable that becomes a probe when run with the argument "probe".
type Payload struct {
	OS, Arch string                 // as GOOS and GOARCH
	Size     int64                  // of the executable
	SHA256   string                 // of the executable, in hex
	Gzip     func() ([]byte, error) // returns the compressed executable; called when a node needs a copy
}

// RunningExecutable returns this process's executable as a Payload. It is compressed once, on first use.
func RunningExecutable() (Payload, error) {
	return FilePayload("/proc/self/exe", runtime.GOOS, runtime.GOARCH)
}

// FilePayload returns the executable at path as a Payload.
func FilePayload(path, goos, goarch string) (Payload, error) {
	f, err := os.Open(path)
	if err != nil {
		return Payload{}, err
	}
	defer func() { _ = f.Close() }() // only read
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return Payload{}, err
	}
	return Payload{
		OS: goos, Arch: goarch, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil)),
		Gzip: once(func() ([]byte, error) { return compress(path) }),
	}, nil
}

// once returns f with its first successful result kept. Errors are not kept: running out of file descriptors for a moment must not be final.
func once[T any](f func() (T, error)) func() (T, error) {
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

// compress uses the fastest level: the best one saves a tenth of the bytes but costs a second, and the user is waiting.
func compress(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(zip, f); err != nil {
		return nil, fmt.Errorf("compress the probe: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("compress the probe: %w", err)
	}
	return bytes.Clone(out.Bytes()), nil
}

// machine returns the output of `uname -sm` on the payload's platform.
func (p Payload) machine() string {
	names := map[string]string{"linux/amd64": "Linux x86_64", "linux/arm64": "Linux aarch64", "linux/ppc64le": "Linux ppc64le", "linux/riscv64": "Linux riscv64"}
	if m := names[p.OS+"/"+p.Arch]; m != "" {
		return m
	}
	return p.OS + " " + p.Arch
}
