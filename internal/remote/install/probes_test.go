package install

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ulikunitz/xz"

	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

func TestRead(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	var packed bytes.Buffer
	w, err := xz.NewWriter(&packed)
	if _, err2 := io.WriteString(w, "a probe"); err != nil || err2 != nil || w.Close() != nil {
		t.Fatal(err, err2)
	}
	dir := fstest.MapFS{"list": {Data: []byte("linux/amd64 5 " + hash + "\nlinux/arm64 7 " + hash +
		"\nlinux/riscv64 7 " + hash + "\nlinux/ppc64le 7 " + hash + "\n")},
		"linux-arm64.xz":   {Data: packed.Bytes()},
		"linux-riscv64.xz": {Data: packed.Bytes()[:packed.Len()/2]},
		"linux-ppc64le.xz": {Data: []byte("no xz")}}
	list, err := readProbes(dir)
	if err != nil || len(list) != 4 || list[0].Arch != "amd64" || list[1].OS != "linux" || list[1].Arch != "arm64" ||
		list[1].Size != 7 || list[1].SHA256 != hash {
		t.Fatalf("%+v, %v", list, err)
	}
	if got, err := unzip(list[1]); err != nil || string(got) != "a probe" {
		t.Errorf("%q, %v", got, err)
	}
	for what, i := range map[string]int{"is not there": 0, "is cut": 2, "is not xz": 3} {
		if _, err := list[i].Gzip(); err == nil {
			t.Error("no error for a file that", what)
		}
	}
	for _, text := range []string{"linux/amd64 5\n", "linux/amd64 x " + hash + "\n", "linux/amd64 5 ab\n", "\n"} {
		if list, err := readProbes(fstest.MapFS{"list": {Data: []byte(text)}}); err == nil {
			t.Errorf("%q: %+v", text, list)
		}
	}
	if _, err := readProbes(fstest.MapFS{}); err == nil {
		t.Error("no error without a list")
	}
}

// TestProbes: each platform has one probe whose hash and size are as the list says, and this platform has one if this
// program reads GPUs.
func TestProbes(t *testing.T) {
	list, err := Probes()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range list {
		platform := p.OS + "/" + p.Arch
		if seen[platform] {
			t.Errorf("two probes for %s", platform)
		}
		seen[platform] = true
		verify(t, p)
	}
	if ReadsGPUs && !seen[runtime.GOOS+"/"+runtime.GOARCH] {
		t.Errorf("no probe for this platform: %v", seen)
	}
}

func verify(t *testing.T, p Payload) {
	got, err := unzip(p)
	sum := sha256.Sum256(got)
	if err != nil || int64(len(got)) != p.Size || hex.EncodeToString(sum[:]) != p.SHA256 {
		t.Errorf("%s/%s: %d bytes, %v", p.OS, p.Arch, len(got), err)
	}
}

// unzip returns the executable.
func unzip(p Payload) ([]byte, error) {
	zip, err := p.Gzip()
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(zip))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// TestReadsGPUs: the constant agrees with package nvml.
func TestReadsGPUs(t *testing.T) {
	err := nvml.New().Init()
	if none := err != nil && strings.Contains(err.Error(), "this build has no NVML"); none == ReadsGPUs {
		t.Errorf("ReadsGPUs is %v, Init says %v", ReadsGPUs, err)
	}
}
