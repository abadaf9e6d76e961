package install

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asked makes this test binary the program whose file is replaced.
const asked = "NVNODETOP_TEST_PAYLOAD"

func TestMain(m *testing.M) {
	if os.Getenv(asked) == "" {
		os.Exit(m.Run())
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // the file has changed
	p, err := runningExecutable()
	if err == nil {
		var zip []byte
		if zip, err = p.Gzip(); err == nil {
			fmt.Println(p.SHA256, unzipped(zip))
		}
	}
	if err != nil {
		fmt.Println(err)
	}
	os.Exit(0)
}

func unzipped(zip []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(zip))
	if err != nil {
		return err.Error()
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// A program whose file is replaced by another build, or deleted, while it runs still copies itself, and not the other
// build: its probe must speak the same protocol.
func TestFileReplaced(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	for name, change := range map[string]func(path string) error{
		"replaced": func(path string) error {
			other := path + ".new"
			if err := os.WriteFile(other, []byte("another build"), 0o700); err != nil {
				return err
			}
			return os.Rename(other, path)
		},
		"deleted": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "nvnodetop")
			if err := os.WriteFile(path, program, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), path)
			cmd.Env = append(os.Environ(), asked+"=1")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, "\n"); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			want := hex.EncodeToString(sum[:])
			if got := strings.TrimSpace(out.String()); got != want+" "+want {
				t.Errorf("the file was %s, and the program gives %q, want %s twice", name, got, want)
			}
		})
	}
}
