package probes

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

	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
)

func TestRead(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	dir := fstest.MapFS{"list": {Data: []byte("linux/amd64 5 " + hash + "\nlinux/arm64 7 " + hash + "\n")},
		"linux-arm64.gz": {Data: []byte("zip")}}
	list, err := read(dir)
	if err != nil || len(list) != 2 || list[0].Arch != "amd64" || list[1].OS != "linux" || list[1].Arch != "arm64" ||
		list[1].Size != 7 || list[1].SHA256 != hash {
		t.Fatalf("%+v, %v", list, err)
	}
	if zip, err := list[1].Gzip(); err != nil || string(zip) != "zip" {
		t.Errorf("%q, %v", zip, err)
	}
	if _, err := list[0].Gzip(); err == nil {
		t.Error("no error for a file that is not there")
	}
	for _, text := range []string{"linux/amd64 5\n", "linux/amd64 x " + hash + "\n", "linux/amd64 5 ab\n", "\n"} {
		if list, err := read(fstest.MapFS{"list": {Data: []byte(text)}}); err == nil {
			t.Errorf("%q: %+v", text, list)
		}
	}
	if _, err := read(fstest.MapFS{}); err == nil {
		t.Error("no error without a list")
	}
}

// TestAll: each platform has one probe whose hash and size are as the list says, and this platform has one if this
// program reads GPUs.
func TestAll(t *testing.T) {
	list, err := All()
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

func verify(t *testing.T, p install.Payload) {
	zip, err := p.Gzip()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(zip))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	if n, err := io.Copy(hash, r); err != nil || n != p.Size || hex.EncodeToString(hash.Sum(nil)) != p.SHA256 {
		t.Errorf("%s/%s: %d bytes, %v", p.OS, p.Arch, n, err)
	}
}

// TestReadsGPUs: the constant agrees with package nvml.
func TestReadsGPUs(t *testing.T) {
	err := nvml.New().Init()
	if none := err != nil && strings.Contains(err.Error(), "this build has no NVML"); none == ReadsGPUs {
		t.Errorf("ReadsGPUs is %v, Init says %v", ReadsGPUs, err)
	}
}
