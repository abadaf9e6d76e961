package ssh

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "6") // the rulings wait for ssh and sshd
	os.Exit(m.Run())
}

// ruling is a row of the table: the Door connects where OpenSSH connects, and refuses where OpenSSH refuses, for the
// same reason.
type ruling struct {
	name   string
	host   string // HostName; empty: localhost
	serves string // host keys of the node
	sshd   string // further lines of its configuration
	known  string // the user's known_hosts
	config string // before the other lines
	agent  string // its keys
	does   func(t *testing.T, c *court)

	refuses string // words of ssh; empty: it connects
	class   reach.Class
	reason  string // words of the Door
	asked   bool   // without ssh the settings are known less well
	kinder  bool   // the Door connects where ssh refuses: it asks the host for the known key
	strict  bool   // the Door refuses where ssh connects: it always checks host keys, and lacks some features
}

const (
	unknown = reach.ClassHostKeyUnknown
	changed = reach.ClassHostKeyChanged
	noKey   = "host key is known for"
)

var hostKeyRulings = []ruling{
	{name: "known", serves: "ed25519", known: "NAME {ed25519}"},
	{name: "nothing is known", serves: "ed25519", refuses: noKey, class: unknown, reason: "host key unknown"},
	{name: "changed", serves: "ed25519", known: "NAME {old ed25519}", refuses: "HAS CHANGED", class: changed,
		reason: "ssh-keygen -f"},
	{name: "changed, of another type", serves: "ed25519", known: "NAME {rsa}", refuses: "HAS CHANGED", class: changed,
		reason: "new key type"},
	{name: "hashed", serves: "ed25519", known: "HASH {ed25519}"},
	{name: "hashed, changed", serves: "ed25519", known: "HASH {old ed25519}", refuses: "HAS CHANGED", class: changed},
	{name: "several keys, one known", serves: "ed25519, ecdsa, rsa", known: "NAME {rsa}"},
	{name: "a stale line of another type first", serves: "rsa, ed25519", known: "NAME {old rsa}\nNAME {ed25519}"},
	{name: "a stale line of the same type first", serves: "ed25519", known: "NAME {old ed25519}\nNAME {ed25519}"},
	{name: "a stale line after it", serves: "rsa, ed25519", known: "NAME {rsa}\nNAME {old ed25519}",
		refuses: "HAS CHANGED", class: changed},
	{name: "lines that nobody understands", serves: "ed25519",
		known: "NAME 1024 35 1234\nbad\n@strange NAME {ed25519}\n@cert-authority @revoked NAME {ed25519}\n|1|x|y " +
			"{ed25519}\n# NAME {old ed25519}\nNAME ssh-ed25519 AAAA\n \tNAME\t{ed25519} a comment"},
	{name: "a type by the name of a signature", serves: "rsa", known: "NAME {type rsa-sha2-256 rsa}"},
	{name: "a type by the name of another signature", serves: "rsa", known: "NAME {type rsa-sha2-512 rsa}"},
	{name: "a type by the name of a signature, changed", serves: "rsa", known: "NAME {type rsa-sha2-256 old rsa}",
		refuses: "HAS CHANGED", class: changed},
	{name: "a type by the name of a signature, of another key", serves: "ed25519",
		known: "NAME {type rsa-sha2-256 ed25519}", refuses: noKey, class: unknown},
	{name: "a type by its short name", serves: "ed25519", known: "NAME {type ED25519 ed25519}", refuses: noKey,
		class: unknown},
	{name: "a type by the short name of another", serves: "ed25519", known: "NAME {type RSA ed25519}", refuses: noKey,
		class: unknown},
	{name: "a type by a short name that lacks its curve", serves: "ecdsa", known: "NAME {type ECDSA ecdsa}",
		refuses: noKey, class: unknown},
	{name: "revoked, its type by the name of a signature", serves: "rsa",
		known: "NAME {rsa}\n@revoked * {type rsa-sha2-256 rsa}", refuses: "REVOKED HOST KEY", class: changed},
	{name: "authority, its type by the name of a signature", serves: "ed25519 by rsa",
		known: "@cert-authority * {type rsa-sha2-512 ca rsa}"},
	{name: "authority before a tab", serves: "ed25519 by rsa", known: "@cert-authority\t* {ca rsa}", refuses: noKey,
		class: unknown},
	{name: "authority between tabs", serves: "ed25519 by rsa", known: "@cert-authority\t*\t{tab ca rsa}"},
	{name: "revoked before a tab", serves: "ed25519", known: "NAME {ed25519}\n@revoked\t* {ed25519}", class: changed,
		reason: "host key revoked", strict: true},
	{name: "HostKeyAlgorithms that prefer a key that is not known", serves: "ed25519, ecdsa", known: "NAME {ed25519}",
		config: "HostKeyAlgorithms ^ecdsa-sha2-nistp256", refuses: "HAS CHANGED", kinder: true},
	{name: "only lines that nobody understands", serves: "ed25519",
		known: "NAME\nNAME ssh-ed25519 AAAA\nNAME ssh-rsa {ed25519}", refuses: noKey, class: unknown},

	{name: "capitals", serves: "ed25519", known: "[LOCALHOST]:PORT {ed25519}"},
	{name: "capitals in the alias", serves: "ed25519", known: "gpu01 {ed25519}", config: "HostKeyAlias GPU01"},
	{name: "known without its port", serves: "ed25519", known: "localhost {ed25519}"},
	{name: "changed without its port", serves: "ed25519", known: "localhost {old ed25519}", refuses: noKey,
		class: changed},
	{name: "changed with its port, known without", serves: "ed25519", known: "NAME {old ed25519}\nlocalhost {ed25519}",
		refuses: "HAS CHANGED", class: changed},
	{name: "known with another port", serves: "ed25519", known: "[localhost]:1 {ed25519}", refuses: noKey,
		class: unknown},
	{name: "an alias has no port", serves: "ed25519", known: "[gpu01]:PORT {ed25519}", config: "HostKeyAlias gpu01",
		refuses: noKey, class: unknown},
	{name: "pattern with nothing for its star", serves: "ed25519", known: "gpu01* {ed25519}",
		config: "HostKeyAlias gpu01"},
	{name: "pattern for any port", serves: "ed25519", known: "[local*]:* {ed25519}"},
	{name: "pattern for everything", serves: "ed25519", known: "* {ed25519}"},
	{name: "pattern with question marks", serves: "ed25519", known: "gp?0? {ed25519}", config: "HostKeyAlias gpu01"},
	{name: "excluded", serves: "ed25519", known: "!bad*,* {ed25519}", config: "HostKeyAlias bad", refuses: noKey,
		class: unknown},
	{name: "excluded by a list after it", serves: "ed25519", known: "*,!b?d {ed25519}", config: "HostKeyAlias bad",
		refuses: noKey, class: unknown},
	{name: "others are excluded", serves: "ed25519", known: "!bad*,* {ed25519}", config: "HostKeyAlias good"},

	{name: "revoked", serves: "ed25519", known: "NAME {ed25519}\n@revoked * {ed25519}", refuses: "REVOKED HOST KEY",
		class: changed, reason: "host key revoked"},
	{name: "revoked first, another one known", serves: "ed25519, ecdsa",
		known: "@revoked NAME {ed25519}\nNAME {ecdsa}"},
	{name: "revoked for other hosts", serves: "ed25519", known: "NAME {ed25519}\n@revoked gpu* {ed25519}"},
	{name: "revoked without its port", serves: "ed25519", known: "@revoked localhost {ed25519}",
		refuses: "REVOKED HOST KEY", class: changed, reason: "host key revoked"},
	{name: "in RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}", config: "RevokedHostKeys DIR/revoked",
		does: write("revoked", "# gone\n{rsa}\n{ed25519} x"), refuses: "revoked by file", class: changed,
		reason: "revoked:3"},
	{name: "not in RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}", config: "RevokedHostKeys DIR/revoked",
		does: write("revoked", "{rsa}")},
	{name: "authority in RevokedHostKeys", serves: "ed25519 by rsa",
		known: "@cert-authority * {ca rsa}\nNAME {ed25519}", config: "RevokedHostKeys DIR/revoked",
		does: write("revoked", "{ca rsa}"), refuses: "revoked by file", class: changed, reason: "host key revoked"},
	{name: "no file of RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}",
		config: "RevokedHostKeys DIR/absent", refuses: "Error checking host key", class: reach.ClassLocal,
		reason: "no such file"},
	{name: "damaged RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}", config: "RevokedHostKeys DIR/revoked",
		does: write("revoked", "what is this"), refuses: "Error checking host key", class: reach.ClassLocal,
		reason: "line 1"},
	{name: "in a binary RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}",
		config: "RevokedHostKeys DIR/revoked", does: krl("{rsa}\n{ed25519}"), refuses: "revoked by file",
		class: reach.ClassLocal, reason: "--transport openssh"},
	{name: "not in a binary RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}",
		config: "RevokedHostKeys DIR/revoked", does: krl("{rsa}\nsha256: {ecdsa}"), class: reach.ClassLocal,
		reason: "--transport openssh", strict: true},
	{name: "serial in a binary RevokedHostKeys", serves: "ed25519 by rsa", known: "@cert-authority * {ca rsa}",
		config: "RevokedHostKeys DIR/revoked", does: krl("serial: 42"), refuses: "revoked by file",
		class: reach.ClassLocal, reason: "--transport openssh"},
	{name: "certificate in RevokedHostKeys", serves: "ed25519", known: "NAME {ed25519}",
		config: "RevokedHostKeys DIR/revoked", does: revokedCert("revoked", "CERTIFICATE"), refuses: "revoked by file",
		class: changed, reason: "revoked:1"},
	{name: "certificate marked as revoked", serves: "ed25519", known: "NAME {ed25519}\n",
		does: revokedCert("known", "@revoked * CERTIFICATE\nNAME {ed25519}"), refuses: "REVOKED HOST KEY", class: changed,
		reason: "host key revoked"},
	{name: "RevokedHostKeys none", serves: "ed25519", known: "NAME {ed25519}", config: "RevokedHostKeys none"},

	{name: "certificate expired", serves: "ed25519 by ed25519 expired", known: "@cert-authority * {ca ed25519}",
		refuses: "Certificate invalid: expired", class: unknown, reason: "host certificate not valid: it expired on"},
	{name: "certificate that expires after 2^63 seconds", serves: "ed25519 by ed25519 late",
		known: "@cert-authority * {ca ed25519}"},
	{name: "certificate that never expires", serves: "ed25519 by ed25519 endless",
		known: "@cert-authority * {ca ed25519}"},
	{name: "certificate that begins after 2^63 seconds", serves: "ed25519 by ed25519 never",
		known: "@cert-authority * {ca ed25519}", refuses: "Certificate invalid: not yet valid", class: unknown,
		reason: "it is valid only from"},
	{name: "certificate of tomorrow", serves: "ed25519 by ed25519 early", known: "@cert-authority * {ca ed25519}",
		refuses: "Certificate invalid: not yet valid", class: unknown, reason: "it is valid only from"},
	{name: "certificate for others", serves: "ed25519 by ed25519 other", known: "@cert-authority * {ca ed25519}",
		refuses: "not a listed principal", class: unknown, reason: "a name of the certificate: gpu77, gpu78"},
	{name: "certificate for others, alias", serves: "ed25519 by ed25519 other", known: "@cert-authority * {ca ed25519}",
		config: "HostKeyAlias gpu78"},
	{name: "certificate for a pattern", serves: "ed25519 by ed25519 wild", known: "@cert-authority * {ca ed25519}",
		refuses: "not a listed principal", class: unknown},
	{name: "certificate for any name", serves: "ed25519 by ed25519 nameless", known: "@cert-authority * {ca ed25519}"},
	{name: "certificate of a user", serves: "ed25519 by ed25519 user", known: "@cert-authority * {ca ed25519}",
		refuses: "not a host certificate", class: unknown, reason: "not a host certificate"},
	{name: "certificate with a condition", serves: "ed25519 by ed25519 critical",
		known: "@cert-authority * {ca ed25519}", refuses: "critical option", class: unknown,
		reason: "critical options"},
	{name: "certificate signed with SHA-1", serves: "ed25519 by rsa sha1", known: "@cert-authority * {ca rsa}",
		refuses: "disallowed", class: unknown, reason: "disallowed algorithm ssh-rsa"},
	{name: "certificate signed with SHA-1, allowed", serves: "ed25519 by rsa sha1", known: "@cert-authority * {ca rsa}",
		config: "CASignatureAlgorithms +ssh-rsa", asked: true},
	{name: "certificate for others, plain key known", serves: "ed25519 by ed25519 other",
		known: "@cert-authority * {ca ed25519}\nNAME {ed25519}"},
	{name: "certificate for others, plain key changed", serves: "ed25519 by ed25519 other",
		known: "@cert-authority * {ca ed25519}\nNAME {old ed25519}", refuses: "HAS CHANGED", class: changed,
		reason: "it is not for the name"},
	{name: "expired, plain key known without the port", serves: "ed25519 by ed25519 expired",
		known: "@cert-authority * {ca ed25519}\nlocalhost {ed25519}"},
	{name: "authority revoked", serves: "ed25519 by rsa", known: "@cert-authority * {ca rsa}\n@revoked * {ca rsa}",
		refuses: "REVOKED HOST KEY", class: changed, reason: "host key revoked"},
	{name: "certificate's key revoked", serves: "ed25519 by rsa",
		known: "@cert-authority * {ca rsa}\n@revoked * {ed25519}", refuses: "REVOKED HOST KEY", class: changed,
		reason: "host key revoked"},
	{name: "authority of other hosts", serves: "ed25519 by rsa", known: "@cert-authority gpu* {ca rsa}", refuses: noKey,
		class: unknown, reason: "nor the authority of its certificate"},
	{name: "another authority", serves: "ed25519 by rsa", known: "@cert-authority * {ca ed25519}", refuses: noKey,
		class: unknown},
	{name: "authority, but no certificate", serves: "ed25519", known: "@cert-authority * {ca rsa}", refuses: noKey,
		class: unknown, reason: "host key unknown"},
	{name: "authority, stale plain key first", serves: "ed25519 by rsa",
		known: "NAME {old ed25519}\n@cert-authority * {ca rsa}"},
	{name: "authority, stale plain key of another type first", serves: "rsa, ed25519 by rsa",
		known: "NAME {old rsa}\n@cert-authority * {ca rsa}"},
	{name: "authority without the port, stale plain key with it", serves: "ed25519 by rsa",
		known: "NAME {old ed25519}\n@cert-authority localhost {ca rsa}"},
	{name: "authority as a host's key", serves: "ed25519 by rsa", known: "NAME {ca rsa}", refuses: "HAS CHANGED",
		class: changed},
	{name: "host's key as an authority", serves: "ed25519", known: "@cert-authority NAME {ed25519}", refuses: noKey,
		class: unknown},

	{name: "known_hosts2 is a directory", serves: "ed25519", known: "NAME {ed25519}",
		config: "UserKnownHostsFile DIR DIR/known"},
	{name: "only a directory", serves: "ed25519", config: "UserKnownHostsFile DIR", refuses: noKey, class: unknown,
		reason: "is a directory"},
	{name: "the system's file knows it", serves: "ed25519", known: "NAME {old ed25519}",
		config: "GlobalKnownHostsFile DIR/global", does: write("global", "NAME {ed25519}")},
	{name: "/dev/null", serves: "ed25519", config: "UserKnownHostsFile /dev/null", refuses: noKey, class: unknown,
		reason: "ssh-keyscan -H -p"},
	{name: "/dev/null, no check", serves: "ed25519", config: "UserKnownHostsFile /dev/null\nStrictHostKeyChecking no",
		strict: true, class: unknown, reason: "ssh-keyscan -H -p"},
	{name: "a file for each host", serves: "ed25519", config: "UserKnownHostsFile DIR/known.d/%k",
		does: write("known.d/n", "NAME {ed25519}")},
	{name: "RSA key that is too short for the configuration", serves: "rsa", known: "NAME {rsa}",
		config: "RequiredRSASize 3072", refuses: "Invalid key length", class: reach.ClassLocal, reason: "2048 bits",
		asked: true},
	{name: "algorithms of the configuration", serves: "ed25519, rsa", known: "NAME {rsa}\nNAME {old ed25519}",
		config: "HostKeyAlgorithms rsa-sha2-512"},
}

var configRulings = []ruling{
	{name: "ProxyCommand none cancels a later ProxyJump", config: "ProxyCommand none\nProxyJump nowhere.invalid"},
	{name: "ProxyJump none", config: "ProxyJump none"},
	{name: "Match host looks at HostName", config: "Match host localhost\nUserKnownHostsFile DIR/known2\nHost *",
		does: write("known2", "NAME {ed25519}"), known: "NAME {old ed25519}"},
	{name: "Match host does not look at the name", config: "Match host n\nUserKnownHostsFile DIR/known2\nHost *",
		does: write("known2", "NAME {old ed25519}")},
	{name: "ProxyCommand with a default of the shell",
		config: "ProxyCommand bash -c 'exec 3<>/dev/tcp/${NVNODETOP_NONE:-localhost}/%p; cat <&3 & cat >&3; kill $!'"},
	{name: "single quotes", config: "IdentityFile 'DIR/a b'"},
	{name: "escaped blank", config: `IdentityFile DIR/a\ b`},
	{name: "tokens", config: "IdentityFile DIR/%nk%%e", does: move("key", "nk%e")},
	{name: "an option that nobody knows", config: "NoSuchOption yes", refuses: "Bad configuration option",
		class: reach.ClassLocal, reason: "Bad configuration option", asked: true},
}

var keyRulings = []ruling{
	{name: "key file", config: "IdentityFile DIR/key"},
	{name: "wrong key", config: "IdentityFile DIR/wrong", refuses: "Permission denied", class: reach.ClassAuth},
	{name: "PEM with a passphrase, held by the agent", config: "IdentityFile DIR/locked\nIdentitiesOnly yes",
		agent: "nine, locked"},
	{name: "PEM with a passphrase, no agent", config: "IdentityFile DIR/locked\nIdentitiesOnly yes",
		refuses: "Permission denied", class: reach.ClassAuth, reason: "needs a passphrase"},
	{name: "only the .pub here, held by the agent", config: "IdentityFile DIR/held\nIdentitiesOnly yes",
		agent: "nine, held"},
	{name: "the .pub named, held by the agent", config: "IdentityFile DIR/held.pub\nIdentitiesOnly yes",
		agent: "nine, held"},
	{name: "only the .pub here, no agent", config: "IdentityFile DIR/held\nIdentitiesOnly yes",
		refuses: "Permission denied", class: reach.ClassAuth},
	{name: "IdentitiesOnly true", config: "IdentityFile DIR/key\nIdentitiesOnly true", agent: "nine"},
	{name: "too many keys in the agent", config: "IdentityFile DIR/key", agent: "nine",
		refuses: "Too many authentication failures", class: reach.ClassAuth, reason: "IdentitiesOnly yes"},
	{name: "IdentityFile none, held by the agent", config: "IdentityFile none", agent: "held"},
	{name: "IdentityFile none, IdentitiesOnly", config: "IdentityFile none\nIdentitiesOnly yes", agent: "held",
		refuses: "Permission denied", class: reach.ClassAuth, reason: "No SSH key"},
	{name: "IdentityFile none and another", config: "IdentityFile none\nIdentityFile DIR/key"},
	{name: "IdentityAgent none", config: "IdentityFile none\nIdentityAgent none", agent: "held",
		refuses: "Permission denied", class: reach.ClassAuth},
	{name: "certificate beside the key", config: "IdentityFile DIR/certified"},
	{name: "CertificateFile", config: "IdentityFile DIR/certified\nCertificateFile DIR/copy",
		does: move("certified-cert.pub", "copy")},
	{name: "CertificateFile replaces the one beside the key",
		config: "IdentityFile DIR/certified\nCertificateFile DIR/expired-cert.pub", refuses: "Permission denied",
		class: reach.ClassAuth, reason: "expired"},
	{name: "certificate, its key held by the agent", config: "IdentityFile DIR/certified\nIdentitiesOnly yes",
		agent: "certified", does: move("certified", "elsewhere"), refuses: "Permission denied", class: reach.ClassAuth},
	{name: "certificate, its key held by the agent, its .pub here",
		config: "IdentityFile DIR/certified\nIdentitiesOnly yes", agent: "certified",
		does: func(t *testing.T, c *court) {
			move("certified", "elsewhere")(t, c)
			c.write(t, "certified.pub", "{certified}")
		}},
	{name: "CertificateFile alone, its key held by the agent",
		config: "IdentityFile none\nCertificateFile DIR/certified-cert.pub", agent: "certified"},
	{name: "readable by others", config: "IdentityFile DIR/key", does: open("key"), refuses: "Permission denied",
		class: reach.ClassAuth, reason: "chmod 600"},
}

func write(name, text string) func(*testing.T, *court) {
	return func(t *testing.T, c *court) { c.write(t, name, text) }
}

// revokedCert writes a file with a certificate of the host.
func revokedCert(name, text string) func(*testing.T, *court) {
	return func(t *testing.T, c *court) {
		cert := ssh.MarshalAuthorizedKey(c.certify("ed25519", "ca rsa", "localhost", "", ssh.HostCert))
		c.write(t, name, text, "CERTIFICATE", strings.TrimSpace(string(cert)))
	}
}

// krl makes a binary list of revoked keys: of certificates of the RSA authority.
func krl(spec string) func(*testing.T, *court) {
	return func(t *testing.T, c *court) {
		c.write(t, "spec", spec)
		c.write(t, "ca.pub", "{ca rsa}")
		out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-k", "-f", c.path("revoked"), "-s",
			c.path("ca.pub"), c.path("spec")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
}

// move renames a file.
func move(from, to string) func(*testing.T, *court) {
	return func(t *testing.T, c *court) {
		if err := os.Rename(c.path(from), c.path(to)); err != nil {
			t.Fatal(err)
		}
	}
}

// open lets others read a file.
func open(name string) func(*testing.T, *court) {
	return func(t *testing.T, c *court) {
		if err := os.Chmod(c.path(name), 0o644); err != nil { //nolint:gosec // the fault
			t.Fatal(err)
		}
	}
}

// TestOpenSSHIsTheJudge compares the Door with the real ssh.
func TestOpenSSHIsTheJudge(t *testing.T) {
	c := newCourt(t)
	c.users()
	rulings := slices.Clone(hostKeyRulings)
	for _, ca := range keyTypes {
		for _, host := range keyTypes {
			rulings = append(rulings, ruling{name: "authority " + ca + ", host " + host, serves: host + " by " + ca,
				known: "@cert-authority [local*]:* {ca " + ca + "}"})
		}
	}
	for _, r := range rulings {
		r.config += "\nIdentityFile DIR/key"
		t.Run("host keys/"+r.name, func(t *testing.T) { r.hear(t, c) })
	}
	for _, r := range configRulings {
		r.config += "\nIdentityFile DIR/key"
		t.Run("config/"+r.name, func(t *testing.T) { r.hear(t, c) })
	}
	for _, r := range slices.Concat(connectionRulings, ipv6Rulings(t)) {
		r.config += "\nIdentityFile DIR/key"
		t.Run("connection/"+r.name, func(t *testing.T) { r.hear(t, c) })
	}
	for _, r := range algorithmRulings {
		if !strings.Contains(r.config, "IdentityFile") {
			r.config += "\nIdentityFile DIR/key"
		}
		t.Run("algorithms/"+r.name, func(t *testing.T) { r.hear(t, c) })
	}
	for _, r := range keyRulings {
		t.Run("keys/"+r.name, func(t *testing.T) { r.hear(t, c) })
	}
}

func (r ruling) hear(t *testing.T, c *court) {
	t.Parallel()
	c = c.copy(t)
	if r.serves == "" {
		r.serves = "ed25519"
	}
	if r.known == "" && r.class != unknown {
		r.known = "NAME {ed25519}"
	}
	c.serve(t, r.serves, r.sshd)
	c.hold(t, r.agent)
	c.write(t, "known", r.known)
	c.write(t, "config", "Host n\nHostName "+cmp.Or(r.host, "localhost")+"\nPort PORT\nHost *\n"+r.config+
		"\nHost *\nUserKnownHostsFile DIR/known\nGlobalKnownHostsFile /dev/null\nKexAlgorithms "+
		"curve25519-sha256\nStrictHostKeyChecking yes\n")
	if r.does != nil {
		r.does(t, c)
	}
	words, connects := c.openSSH(t)
	if differs := connects == (r.class != ""); differs != (r.strict || r.kinder) {
		t.Errorf("ssh connects: %v; the Door may differ: %v", connects, r.strict)
	}
	if connects != (r.refuses == "") || !strings.Contains(words, r.refuses) {
		t.Fatalf("ssh connects: %v; the table says that it refuses with %q. It says:\n%s", connects, r.refuses, words)
	}
	for _, program := range []string{"ssh", ""} {
		if r.asked && program == "" {
			continue
		}
		f := c.door(t, program)
		switch {
		case f == nil && r.class == "":
		case f == nil:
			t.Errorf("settings by %q: connects; ssh says:\n%s", program, words)
		case f.Class != r.class || !strings.Contains(describe(f), r.reason):
			t.Errorf("settings by %q: want %s with %q, got %s\nssh says:\n%s", program, r.class, r.reason, describe(f),
				words)
		case strings.Contains(f.Summary(), "revoked") && strings.Contains(describe(f), "ssh-keygen"):
			t.Errorf("advises to trust a revoked key: %s", describe(f))
		}
	}
}
