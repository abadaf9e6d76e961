// Package ondemand plays a portal of Open OnDemand: an Apache with the portal's rules for /node and /rnode, in front of
// programs that speak plain HTTP.
//
// Each test starts its own; several may run at a time.
package ondemand

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/daemon"
)

// The rules, as ood-portal-generator of Open OnDemand 4 writes them, and the part of its hook that chooses the server.
var (
	//go:embed portal.conf
	rules string
	//go:embed proxy.lua
	hook string
)

// Where Debian's package apache2-bin has the program and its modules.
const (
	program = "/usr/sbin/apache2"
	modules = "/usr/lib/apache2/modules"
)

// Portal is a running portal.
type Portal struct {
	URL  string // without a slash at its end
	Root string // directory of the files that it shows
	log  string
}

// Start starts a portal, which ends with the test. Without an installed Apache the test is skipped.
func Start(t testing.TB) *Portal {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skip("needs Apache (apt-get install apache2-bin): ", err)
	}
	dir, err := os.MkdirTemp("", "ondemand") // the server's own user must reach it, which a test's directory may forbid
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Portal{Root: filepath.Join(dir, "root"), log: filepath.Join(dir, "access.log")}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"portal.conf": rules, "proxy.lua": hook} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	address := daemon.FreeAddress(t)
	if !p.run(t, dir, address) {
		said, _ := os.ReadFile(filepath.Join(dir, "error.log"))
		t.Fatalf("apache2 does not start: %s", said)
	}
	p.URL = "http://" + address
	return p
}

// run runs the server until the test ends, and reports whether it listens.
func (p *Portal) run(t testing.TB, dir, address string) bool {
	args := []string{"-D", "FOREGROUND", "-f", filepath.Join(dir, "portal.conf"), "-C", "Define DIR " + dir, "-C",
		"Define MODULES " + modules, "-C", "Define ADDRESS " + address}
	if os.Geteuid() == 0 {
		args = append(args, "-D", "ROOT")
	}
	cmd := exec.CommandContext(context.Background(), program, args...)
	ended, end := daemon.Start(t, cmd, filepath.Join(dir, "error.log"))
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			return false
		default:
		}
		if _, err := os.Stat(filepath.Join(dir, "pid")); err == nil && listens(address) {
			t.Cleanup(func() {
				end()
				p.say(t)
			})
			return true
		}
	}
	end()
	return false
}

// say prints the errors of the server if the test has failed.
func (p *Portal) say(t testing.TB) {
	if said, err := os.ReadFile(filepath.Join(filepath.Dir(p.log), "error.log")); err == nil && t.Failed() {
		t.Logf("apache2: %s", said)
	}
}

// Log returns the addresses that were asked for, as the server logs them.
func (p *Portal) Log(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Address returns the address of a server behind the portal: kind is node or rnode.
func (p *Portal) Address(kind string, port string) string {
	return fmt.Sprintf("%s/%s/127.0.0.1/%s", p.URL, kind, strings.TrimPrefix(port, ":"))
}

func listens(address string) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}
