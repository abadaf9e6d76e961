package ssh

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
)

// An admin recognizes nvnodetop in the log of an sshd by the name and the version of the client.
func TestTheClientSaysWhoItIs(t *testing.T) {
	s := newSite(t)
	s.d.version = "1.2.3-rc 4"
	var seen atomic.Pointer[string]
	n := startNode(t, s, func(n *node) {
		n.config.AuthLogCallback = func(c ssh.ConnMetadata, _ string, _ error) {
			version := string(c.ClientVersion())
			seen.Store(&version)
		}
	})
	s.configure("n", n)
	s.mustOpen("n")
	if v := seen.Load(); v == nil || *v != "SSH-2.0-nvnodetop_1.2.3_rc_4" {
		t.Errorf("the client is %v", v)
	}
}

// docs/ADMINS.md tells admins when sshd logs that name.
func TestSSHDLogsTheName(t *testing.T) {
	for options, logged := range map[string]bool{
		"LogLevel INFO": false, "LogLevel VERBOSE": false, "LogLevel DEBUG1": true,
		"LogVerbose kex.c:kex_exchange_identification():*": true,
	} {
		t.Run(options, func(t *testing.T) {
			s := newSite(t)
			d := startSSHD(t, s, options)
			s.mustOpen("n")
			log, err := os.ReadFile(d.log.Name())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(log), "software version nvnodetop_test") != logged {
				t.Errorf("want the name: %v; the log is\n%s", logged, log)
			}
		})
	}
}
