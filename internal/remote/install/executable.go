package install

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// runningExecutable returns this process's executable as a Payload. It is compressed once, on first use.
func runningExecutable() (Payload, error) {
	return filePayload("/proc/self/exe", runtime.GOOS, runtime.GOARCH)
}

// filePayload returns the executable at path as a Payload.
func filePayload(path, goos, goarch string) (Payload, error) {
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
		Gzip: keepFirst(func() ([]byte, error) { return compressFast(path) }),
	}, nil
}

// compressFast compresses at the fastest level: the best one saves a tenth of the bytes but costs a second, and the
// user is waiting.
func compressFast(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	zip, err := compressGzip(f, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("compress the probe: %w", err)
	}
	return zip, nil
}
