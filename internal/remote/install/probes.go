package install

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"

	"github.com/ulikunitz/xz"
)

// Probes returns a probe for each platform for which this build has one. If this program can read GPUs, it is a probe
// itself; it serves its own platform if no smaller probe is embedded.
func Probes() ([]Payload, error) {
	list, err := readProbes(embedded)
	if err != nil {
		return nil, err
	}
	own := func(p Payload) bool { return p.OS == runtime.GOOS && p.Arch == runtime.GOARCH }
	if !ReadsGPUs || slices.ContainsFunc(list, own) {
		return list, nil
	}
	self, err := runningExecutable()
	if err != nil {
		return nil, err
	}
	return append(list, self), nil
}

// readProbes returns the probes in a directory made by scripts/build: "list" has the platform, the size and the SHA-256
// of each, one per line. nil: there are none.
func readProbes(dir fs.FS) (list []Payload, err error) {
	if dir == nil {
		return nil, nil
	}
	text, err := fs.ReadFile(dir, "list")
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var p Payload
		words := bytes.Fields(bytes.Replace(line, []byte("/"), []byte(" "), 1))
		if len(words) != 4 {
			return nil, fmt.Errorf("list of embedded probes: invalid line %q", line)
		}
		p.OS, p.Arch, p.SHA256 = string(words[0]), string(words[1]), string(words[3])
		if _, err := fmt.Sscan(string(words[2]), &p.Size); err != nil || len(p.SHA256) != 64 {
			return nil, fmt.Errorf("list of embedded probes: invalid line %q", line)
		}
		p.Gzip = keepFirst(func() ([]byte, error) { return fromXZ(dir, p.OS+"-"+p.Arch+".xz") })
		list = append(list, p)
	}
	return list, nil
}

// fromXZ decompresses an xz file, and returns its content compressed with gzip. It takes a third of a second.
func fromXZ(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	probe, err := xz.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("embedded probe %s: %w", name, err)
	}
	zip, err := compressGzip(probe, gzip.DefaultCompression)
	if err != nil {
		return nil, fmt.Errorf("embedded probe %s: %w", name, err)
	}
	return zip, nil
}

// compressGzip compresses with gzip at one of its levels.
func compressGzip(r io.Reader, level int) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(zip, r); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(out.Bytes()), nil
}
