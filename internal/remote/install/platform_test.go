package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
)

// machine gives n another platform.
func (n *node) machine(name string) {
	bin := n.t.TempDir()
	path := filepath.Join(bin, "uname")
	writeFile(n.t, path, "#!/bin/sh\necho "+name+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		n.t.Fatal(err)
	}
	n.env = append(n.env, "PATH="+bin+":"+os.Getenv("PATH"))
}

// forPlatform is a payload for a platform, with content of its own.
func forPlatform(arch string) Payload {
	p := scriptPayload(fakeprobe.Script + "# " + arch + "\n")
	p.OS, p.Arch = "linux", arch
	return p
}

// TestPlatforms: nodes of two platforms share a home. Each gets the probe of its platform, finds it again with the same
// script, and replaces it if it is damaged.
func TestPlatforms(t *testing.T) {
	noLeaks(t)
	payloads := []Payload{forPlatform("amd64"), forPlatform("arm64")}
	s := &site{t: t, Installer: New(func() ([]Payload, error) { return payloads, nil })}
	intel, arm := newNode(t), newNode(t)
	arm.home = intel.home
	intel.machine("Linux x86_64")
	arm.machine("Linux aarch64")
	for i, n := range []*node{intel, arm} {
		if got := s.mustStart(n); !strings.HasPrefix(got, "copied") {
			t.Errorf("%d: %q", i, got)
		}
		path := filepath.Join(n.cacheDir(), fileName(payloads[i]))
		if info, err := os.Lstat(path); err != nil || info.Size() != payloads[i].Size {
			t.Fatalf("%d: %v %v", i, info, err)
		}
		ran := len(n.scripts())
		if got := s.mustStart(n); got != "already installed" || len(n.scripts()) != ran+1 {
			t.Errorf("%d: %q after %d scripts", i, got, len(n.scripts())-ran)
		}
		if err := os.WriteFile(path, make([]byte, payloads[i].Size), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := s.mustStart(n); !strings.HasPrefix(got, "copied") {
			t.Errorf("damaged %d: %q", i, got)
		}
	}
}

// TestPlatformWithoutAProbe leaves nothing on the node.
func TestPlatformWithoutAProbe(t *testing.T) {
	noLeaks(t)
	for _, payloads := range [][]Payload{nil, {forPlatform("amd64"), forPlatform("arm64")}} {
		s := &site{t: t, Installer: New(func() ([]Payload, error) { return payloads, nil })}
		n := newNode(t)
		n.machine("Linux ppc64le")
		_, err := s.start(n)
		e, ok := errors.AsType[*PlatformError](err)
		if !ok || e.Machine != "Linux ppc64le" || len(e.Have) != len(payloads) || slices.Contains(e.Have, e.Machine) {
			t.Errorf("error %v", err)
		}
		if left, err := os.ReadDir(n.home); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// TestEnvironmentOfTheProbe: LD_BIND_NOW does not reach the probe, however it is started.
func TestEnvironmentOfTheProbe(t *testing.T) {
	noLeaks(t)
	s, n := siteWith(t, "#!/bin/sh\necho \"${LD_BIND_NOW-unset}\" >>\"$HOME/seen\"\nexit 3\n"), newNode(t)
	n.env = []string{"LD_BIND_NOW=1"}
	s.mustEnd(n)
	s.mustEnd(n)
	s.Program = filepath.Join(n.cacheDir(),
		fileName(scriptPayload("#!/bin/sh\necho \"${LD_BIND_NOW-unset}\" >>\"$HOME/seen\"\nexit 3\n")))
	s.mustEnd(n)
	if seen, err := os.ReadFile(filepath.Join(n.home, "seen")); string(seen) != strings.Repeat("unset\n", 4) {
		t.Errorf("the probes had %q, %v", seen, err)
	}
}
