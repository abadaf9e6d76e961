package install

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"testing"
)

func TestRunningExecutable(t *testing.T) {
	p, err := runningExecutable()
	if err != nil {
		t.Fatal(err)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(want)
	if p.OS != runtime.GOOS || p.Arch != runtime.GOARCH || p.Size != int64(len(want)) ||
		p.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("got %+v", p)
	}
	zip, err := p.Gzip()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(zip))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

func TestPayloadThatIsNotThere(t *testing.T) {
	if _, err := filePayload("/nonexistent", "linux", "amd64"); err == nil {
		t.Error("no error")
	}
}
