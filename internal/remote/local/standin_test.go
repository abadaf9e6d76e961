package local

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// payload is an executable for this platform.
func payload(t *testing.T, text string) install.Payload {
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	return install.Payload{OS: "linux", Arch: runtime.GOARCH, Size: int64(len(text)),
		SHA256: hex.EncodeToString(sum[:]), Gzip: func() ([]byte, error) { return zip.Bytes(), nil }}
}

// TestStandIn: where no probe runs, nvidia-smi takes its place, and the Hello and the steps say why. Without nvidia-smi
// the failure is the probe's.
func TestStandIn(t *testing.T) {
	fake, err := filepath.Abs("../smi/testdata")
	if err != nil {
		t.Fatal(err)
	}
	old := payload(t, "#!/bin/sh\necho \"$0: /lib64/libc.so.6: version GLIBC_2.34 not found\" >&2\nexit 1\n")
	for name, tc := range map[string]struct {
		payloads []install.Payload
		path     string
		why      string
		class    reach.Class
	}{
		"no probe for the platform": {nil, fake, "no probe for Linux", ""},
		"old glibc":                 {[]install.Payload{old}, fake, "probe does not run on this system", ""},
		"no nvidia-smi":             {nil, "/nowhere", "", reach.ClassPlatform},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("FAKE", t.TempDir())
			t.Setenv("PATH", tc.path+":"+os.Getenv("PATH"))
			o := remote.New(Door{})
			o.Installer = install.New(func() ([]install.Payload, error) { return tc.payloads, nil })
			var steps []string
			s, err := o.Open(t.Context(), "here", func(step reach.Step) { steps = append(steps, step.Text) })
			if tc.class != "" {
				f, ok := errors.AsType[*reach.Failure](err)
				if !ok || f.Class != tc.class || !strings.Contains(f.Words, "no nvidia-smi in") {
					t.Errorf("error %+v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			m, err := s.Next()
			if err != nil || m.Hello == nil || !strings.HasPrefix(m.Hello.StandIn, tc.why) || len(m.Hello.GPUs) != 2 {
				t.Errorf("%+v, %v", m, err)
			}
			if !slices.ContainsFunc(steps,
				func(s string) bool { return strings.HasPrefix(s, "nvidia-smi in place of a probe: "+tc.why) }) {
				t.Errorf("steps %q", steps)
			}
		})
	}
}
