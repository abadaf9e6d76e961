package openssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const changed = `@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!
Someone could be eavesdropping on you right now (man-in-the-middle attack)!
It is also possible that a host key has just been changed.
The fingerprint for the ED25519 key sent by the remote host is
SHA256:0123456789012345678901234567890123456789012.
Please contact your system administrator.
Add correct host key in /home/alice/.ssh/known_hosts to get rid of this message.
Offending ED25519 key in /home/alice/.ssh/known_hosts:3
  remove with:
  ssh-keygen -f "/home/alice/.ssh/known_hosts" -R "n"
Host key for n has changed and you have requested strict checking.
Host key verification failed.`

const revoked = `@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@       WARNING: REVOKED HOST KEY DETECTED!               @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
The ED25519 host key for n is marked as revoked.
Host key verification failed.`

// TestWordsOfOpenSSH has real words of OpenSSH 7.4 to 9.2. All of them come with status 255.
func TestWordsOfOpenSSH(t *testing.T) {
	for words, want := range map[string]string{
		changed: "host_key_changed: host key changed | known: /home/alice/.ssh/known_hosts:3",
		revoked: "host_key_changed: host key revoked | do not trust",
		"No ED25519 host key is known for n and you have requested strict checking.\nHost key verification failed.": "host_key_unknown: host key unknown | ssh n",
		"Certificate invalid: expired\nNo ED25519 host key is known for n and you have requested strict " +
			"checking.\nHost key verification failed.": "host_key_unknown: host key unknown | Certificate invalid: " +
			"expired",
		"alice@n: Permission denied (publickey).": "auth: permission denied (publickey) | ssh -v n true",
		"Legal notice\nalice@n: Permission denied " +
			"(publickey,gssapi-keyex,gssapi-with-mic,keyboard-interactive,hostbased).": "auth: permission denied (publickey,gssapi-keyex,gssapi-with-mic,keyboard-interactive,hostbased) | Legal notice",
		"Received disconnect from 10.77.1.3 port 22:2: Too many authentication failures\nDisconnected from 10.77.1.3 " +
			"port 22": "auth: permission denied | ssh -v",
		"Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed by 10.77.1.17 " +
			"port 22": "adopt: login refused (pam_slurm_adopt) | squeue --me -w n",
		"Connection closed by 10.77.1.17 port 22":                                                               "denied: connection closed during the login | site policy",
		"ssh: connect to host n port 22: Connection timed out":                                                  "timeout: no response | scontrol show node n",
		"ssh: connect to host n port 22: No route to host":                                                      "no_route: no route to host | scontrol",
		"ssh: connect to host n port 22: Connection refused":                                                    "refused: connection refused | sshd is not listening",
		"Connection timed out during banner exchange\nConnection to 10.77.1.3 port 22 timed out":                "frozen: sshd not responding | does not respond",
		"ssh: Could not resolve hostname n: Temporary failure in name resolution":                               "unknown_host: unknown host | getent hosts n",
		"kex_exchange_identification: Connection closed by remote host\nConnection closed by 10.77.1.3 port 22": "closed: sshd closed the connection | MaxStartups",
		"ssh: connect to host jump port 22: Connection refused\nkex_exchange_identification: Connection closed by " +
			"remote host": "refused: connection refused | jump",
		"channel 0: open failed: connect failed: No route to host\nstdio forwarding failed\nConnection closed by " +
			"UNKNOWN port 65535": "closed: sshd closed the connection | stdio forwarding failed",
		"Unable to negotiate with 10.77.1.3 port 22: no matching host key type found. Their offer: ssh-rsa": "other: no common algorithm: Unable to negotiate with 10.77.1.3 port 22: no matching host | ssh-rsa",
		"/home/alice/.ssh/config: line 3: Bad configuration option: frobnicate\n/home/alice/.ssh/config: " +
			"terminating, 1 bad configuration options": "local: ssh configuration: /home/alice/.ssh/config: line 3: " +
			"Bad configuration option: f | terminating",
		"Bad owner or permissions on /home/alice/.ssh/config": "local: ssh configuration: Bad owner or permissions " +
			"on /home/alice/.ssh/config | ",
		"** WARNING: connection is not using a post-quantum key exchange algorithm.\nalice@n: Permission denied " +
			"(publickey,password).": "auth: permission denied (publickey,password) | ",
	} {
		s := newSite(t, `cat "$FAKE_DIR/words" >&2; exit 255`)
		if err := os.WriteFile(filepath.Join(s.dir, "words"), []byte(words+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := s.fails()
		summary, says, _ := strings.Cut(want, " | ")
		if got := string(f.Class) + ": " + f.Summary(); got != summary || f.Stage != StageSSH {
			t.Errorf("%q at %q, want %q", got, f.Stage, summary)
		}
		if all := f.Meaning + "\n" + f.Words + "\n" + strings.Join(f.Hints, "\n"); !strings.Contains(all, says) ||
			!strings.Contains(f.Words, words[:min(len(words), 100)]) {
			t.Errorf("%s: no %q in\n%s", summary, says, all)
		}
	}
}
