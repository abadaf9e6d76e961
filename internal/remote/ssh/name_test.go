package ssh

import (
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
)

// An admin finds nvnodetop in the log of an sshd by the name and the version of the client.
func TestTheClientSaysWhoItIs(t *testing.T) {
	noLeaks(t)
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
