package openssh

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/sshd"
)

// TestRealShells logs in to a real sshd whose login shell runs something else than our command.
func TestRealShells(t *testing.T) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("needs ssh (scripts/testcluster install): ", err)
	}
	for option, want := range map[string]string{
		"ForceCommand /bin/false":                             "denied: login accepted, but no command runs",
		"ForceCommand true":                                   "denied: login accepted, but no command runs",
		"ForceCommand internal-sftp":                          "denied: login accepted, but no command runs",
		"ForceCommand echo 1: shell 2: quit; read x":          "probe_late: login accepted, but no command runs after 1s",
		"ForceCommand sleep 60":                               "probe_late: login accepted, but no command runs after 1s",
		"MaxSessions 0":                                       "denied: session refused after login",
		"ForceCommand head -c 3000000 /dev/zero | tr '\\0' x": "garbage: unexpected output of the login",
	} {
		t.Run(option, func(t *testing.T) {
			s := newSite(t, "")
			config := sshd.Start(t, s.dir, option)
			wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -V ]; then exec %[1]s -V; fi\nexec %[1]s -F %[2]s \"$@\"\n",
				program, config)
			if err := os.WriteFile(filepath.Join(s.dir, "ssh"), []byte(wrapper), 0o700); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(want, "probe_late") {
				s.d.limits.login = 1200 * time.Millisecond
			}
			f := s.fails()
			if got := fmt.Sprintf("%s: %s", f.Class, f.Summary()); got != want || f.Stage != StageShell {
				t.Errorf("%s: %s at %q, want %s\n%s", option, got, f.Stage, want, f.Words)
			}
		})
	}
}

// TestARealOne logs in to a real sshd with the real ssh.
func TestARealOne(t *testing.T) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("needs ssh (scripts/testcluster install): ", err)
	}
	s := newSite(t, "")
	config := sshd.Start(t, s.dir, "SetEnv FAKE_ROLE=probe")
	use := func(option string) {
		t.Helper()
		wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -V ]; then exec %[1]s -V; fi\necho $$ >>%[2]s/ran\nexec "+
			"%[1]s -F %[3]s %[4]s \"$@\"\n", program, s.dir, config, option)
		if err := os.WriteFile(filepath.Join(s.dir, "ssh"), []byte(wrapper), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	use("")
	began := time.Now()
	session, probe := s.mustOpen()
	t.Logf("open after %v", time.Since(began))
	if step := s.steps[len(s.steps)-1]; !strings.Contains(fmt.Sprint(s.steps), "logged in by OpenSSH_") {
		t.Errorf("steps up to %+v", step)
	}
	_ = session.Close()
	gone(t, probe)
	for option, want := range map[string]string{
		"-o PubkeyAuthentication=no": "auth: permission denied " +
			"(publickey,password,keyboard-interactive)",
		"-o UserKnownHostsFile=/dev/null":                             "host_key_unknown: host key unknown",
		"-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null": "host_key_unknown: host key unknown",
		"-o Port=1":                   "refused: connection refused",
		"-o HostName=nowhere.invalid": "unknown_host: unknown host",
		"-o Ciphers=aes128-cbc":       "other: no common algorithm",
		"-o ProxyCommand='sleep 600'": "login_hangs: login timed out after 0s",
	} {
		if strings.Contains(option, "StrictHostKeyChecking=no") {
			// The options are in the configuration, where OpenSSH would obey them.
			text, _ := os.ReadFile(config)
			loose := filepath.Join(s.dir, "loose")
			if err := os.WriteFile(loose, append([]byte("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"),
				text...), 0o600); err != nil {
				t.Fatal(err)
			}
			option = "-F " + loose
		}
		use(option)
		limit := defaultLimits.login
		if strings.Contains(option, "sleep") {
			limit = 300 * time.Millisecond
		}
		s.d.limits.login = limit
		f := s.fails()
		if got := fmt.Sprintf("%s: %s", f.Class, f.Summary()); !strings.HasPrefix(got, want) || f.Stage != StageSSH {
			t.Errorf("%s: %s, want %s\n%s", option, got, want, f.Words)
		}
		if f.Class == reach.ClassUnknownHost && f.Words == "" {
			t.Error("what ssh said is lost")
		}
	}
}
