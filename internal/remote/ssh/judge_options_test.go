package ssh

import (
	"net"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// connectionRulings are about the ways to connect, and about features of OpenSSH alone.
var connectionRulings = []ruling{
	{name: "AddressFamily inet", config: "AddressFamily inet"},
	{name: "AddressFamily inet of an IPv6 address", host: "::1", config: "AddressFamily inet", known: "* {ed25519}",
		refuses: "Could not resolve", class: reach.ClassUnknownHost, reason: "AddressFamily inet"},
	{name: "BindAddress", config: "BindAddress 127.0.0.7", sshd: "AllowUsers *@127.0.0.7", host: "127.0.0.1",
		known: "* {ed25519}"},
	{name: "BindAddress that the node refuses", config: "BindAddress 127.0.0.8", sshd: "AllowUsers *@127.0.0.7",
		host: "127.0.0.1", known: "* {ed25519}", refuses: "Permission denied", class: reach.ClassAuth},
	{name: "BindAddress that is not here", config: "BindAddress 192.0.2.1", host: "127.0.0.1", known: "* {ed25519}",
		refuses: "assign requested address", class: reach.ClassLocal,
		reason: "192.0.2.1 is not an address of this host"},
	{name: "BindInterface", config: "BindInterface lo", host: "127.0.0.1", known: "* {ed25519}"},
	{name: "BindInterface that is not here", config: "BindInterface nope0", host: "127.0.0.1", known: "* {ed25519}",
		refuses: "no suitable addresses", class: reach.ClassLocal, reason: "BindInterface nope0"},
	{name: "ConnectTimeout", config: "ConnectTimeout 1\nProxyCommand sleep 20", refuses: "timed out",
		class: reach.ClassFrozen, reason: "after 1s"},
	{name: "ServerAliveInterval", config: "ServerAliveInterval 1\nServerAliveCountMax 1"},
	{name: "HashKnownHosts", config: "HashKnownHosts yes", known: "HASH {ed25519}"},
	{name: "RekeyLimit", config: "RekeyLimit 1K 1s"},
	{name: "ForkAfterAuthentication", config: "ForkAfterAuthentication yes"},
	{name: "ForkAfterAuthentication and StdinNull", config: "ForkAfterAuthentication yes\nStdinNull yes"},
	{name: "GSSAPIAuthentication", config: "GSSAPIAuthentication yes"},
	{name: "SecurityKeyProvider", config: "SecurityKeyProvider DIR/absent.so"},
	{name: "PKCS11Provider that is not needed", config: "PKCS11Provider DIR/absent.so"},
	{name: "PKCS11Provider that is needed", config: "IdentityFile none\nPKCS11Provider DIR/absent.so",
		does: move("key", "gone"), refuses: "Permission denied", class: reach.ClassAuth, reason: "PKCS11Provider"},
	{name: "CanonicalizeHostname", config: "CanonicalizeHostname yes\nCanonicalDomains " +
		"nowhere.invalid\nCanonicalizeFallbackLocal yes"},
	{name: "Match exec", config: "Match exec false\nUserKnownHostsFile DIR/absent\nMatch exec true\nHostKeyAlias " +
		"good\nHost *", known: "good {ed25519}", asked: true},
	{name: "Match localuser and final", config: "Match final originalhost n\nHostKeyAlias good\nHost *",
		known: "good {ed25519}", asked: true},

	{name: "KnownHostsCommand", config: "KnownHostsCommand /bin/cat DIR/known2\nUserKnownHostsFile DIR/absent",
		does: write("known2", "NAME {ed25519}"), class: reach.ClassLocal, reason: "--transport openssh", strict: true},
	{name: "KnownHostsCommand revokes", config: "KnownHostsCommand /bin/cat DIR/known2",
		does: write("known2", "@revoked * {ed25519}"), refuses: "REVOKED HOST KEY", class: reach.ClassLocal,
		reason: "--transport openssh"},
	{name: "KnownHostsCommand fails", config: "KnownHostsCommand /bin/false", refuses: "KnownHostsCommand failed",
		class: reach.ClassLocal, reason: "/bin/false"},
	{name: "KnownHostsCommand none", config: "KnownHostsCommand none"},
	{name: "VerifyHostKeyDNS", config: "VerifyHostKeyDNS yes\nUserKnownHostsFile DIR/absent", refuses: noKey,
		class: unknown, reason: "OpenSSH obeys it"},
}

// ipv6Rulings are about hosts with only an IPv6 address.
func ipv6Rulings(t *testing.T) []ruling {
	t.Helper()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Log("there is no IPv6 here: ", err)
		return nil
	}
	closeQuietly(l)
	return []ruling{
		{name: "IPv6 address", host: "::1", known: "[::1]:PORT {ed25519}"},
		{name: "IPv6 address, changed", host: "::1", known: "[::1]:PORT {old ed25519}", refuses: "HAS CHANGED",
			class: changed},
		{name: "IPv6 address, unknown", host: "::1", known: "[127.0.0.1]:PORT {ed25519}", refuses: noKey,
			class: unknown},
		{name: "IPv6 address with a scope", host: "::1%%1", known: "[::1%1]:PORT {ed25519}"},
		{name: "IPv6 address, written long, known short", host: "0:0::1", known: "[::1]:PORT {ed25519}"},
		{name: "AddressFamily inet6", config: "AddressFamily inet6", host: "::1", known: "* {ed25519}"},
		{name: "AddressFamily inet6 of an IPv4 address", host: "127.0.0.1", config: "AddressFamily inet6",
			known: "* {ed25519}", refuses: "Could not resolve", class: reach.ClassUnknownHost,
			reason: "AddressFamily inet6"},
		{name: "BindAddress of the other family", host: "::1", config: "BindAddress 127.0.0.7", known: "* {ed25519}",
			refuses: "Address family for hostname", class: reach.ClassLocal, reason: "no address of the family"},
	}
}

// algorithmRulings are about the algorithms that the configuration accepts. Go's ssh has fewer than OpenSSH, and the
// words say so.
var algorithmRulings = []ruling{
	{name: "Ciphers", config: "Ciphers aes256-ctr", sshd: "Ciphers aes256-ctr"},
	{name: "Ciphers that the node lacks", config: "Ciphers aes128-ctr", sshd: "Ciphers aes256-ctr",
		refuses: "no matching cipher", class: reach.ClassOther, reason: "The host has aes256-ctr"},
	{name: "Ciphers that are off by default", config: "Ciphers aes128-cbc", sshd: "Ciphers aes128-cbc"},
	{name: "Ciphers that only OpenSSH has", config: "Ciphers aes256-cbc", sshd: "Ciphers aes256-cbc",
		class: reach.ClassLocal, reason: "--transport openssh", strict: true},
	{name: "Ciphers of which the node has one that only OpenSSH has", config: "Ciphers aes256-ctr,aes256-cbc",
		sshd: "Ciphers aes256-cbc", class: reach.ClassOther, reason: "--transport openssh", strict: true},
	{name: "MACs", config: "Ciphers aes256-ctr\nMACs hmac-sha2-512", sshd: "MACs hmac-sha2-512"},
	{name: "MACs that the node lacks", config: "Ciphers aes256-ctr\nMACs hmac-sha1", sshd: "MACs hmac-sha2-512",
		refuses: "no matching MAC", class: reach.ClassOther, reason: "client to server MAC"},
	{name: "MACs that only OpenSSH has", config: "Ciphers aes256-ctr\nMACs umac-128@openssh.com",
		class: reach.ClassLocal, reason: "umac-128@openssh.com", strict: true},
	{name: "MACs that only OpenSSH has, where none is needed",
		config: "Ciphers aes256-gcm@openssh.com\nMACs umac-128@openssh.com"},
	{name: "KexAlgorithms", config: "KexAlgorithms ecdh-sha2-nistp384", sshd: "KexAlgorithms ecdh-sha2-nistp384"},
	{name: "KexAlgorithms by its old name", config: "KexAlgorithms curve25519-sha256@libssh.org",
		sshd: "KexAlgorithms curve25519-sha256@libssh.org"},
	{name: "KexAlgorithms that the node lacks", config: "KexAlgorithms ecdh-sha2-nistp256",
		sshd: "KexAlgorithms ecdh-sha2-nistp384", refuses: "no matching key exchange", class: reach.ClassOther,
		reason: "key exchange"},
	{name: "KexAlgorithms that only OpenSSH has", config: "KexAlgorithms sntrup761x25519-sha512@openssh.com",
		class: reach.ClassLocal, reason: "--transport openssh", strict: true},
	{name: "KexAlgorithms of a node that only OpenSSH has", config: "KexAlgorithms +diffie-hellman-group18-sha512",
		sshd: "KexAlgorithms diffie-hellman-group18-sha512", class: reach.ClassOther, reason: "--transport openssh",
		strict: true},
	{name: "HostKeyAlgorithms", config: "HostKeyAlgorithms rsa-sha2-256", serves: "ed25519, rsa", known: "NAME {rsa}"},
	{name: "HostKeyAlgorithms that the node lacks", config: "HostKeyAlgorithms rsa-sha2-256",
		refuses: "no matching host key type", class: reach.ClassOther, reason: "The host has ssh-ed25519"},
	{name: "HostKeyAlgorithms that only OpenSSH has", config: "HostKeyAlgorithms sk-ssh-ed25519@openssh.com",
		refuses: "no matching host key type", class: reach.ClassLocal, reason: "HostKeyAlgorithms"},
	{name: "PubkeyAcceptedAlgorithms", config: "PubkeyAcceptedAlgorithms rsa-sha2-256\nIdentityFile " +
		"DIR/rsa\nIdentityFile DIR/key", does: rsaKey, sshd: "PubkeyAcceptedAlgorithms rsa-sha2-256"},
	{name: "PubkeyAcceptedAlgorithms without the key's", config: "PubkeyAcceptedAlgorithms rsa-sha2-256",
		refuses: "Permission denied", class: reach.ClassAuth, reason: "ssh-ed25519 is not in PubkeyAcceptedAlgorithms"},
	{name: "PubkeyAcceptedAlgorithms of certificates",
		config: "PubkeyAcceptedAlgorithms ssh-ed25519-cert-v01@openssh.com\nIdentityFile DIR/certified"},
	{name: "PubkeyAcceptedAlgorithms without certificates",
		config: "PubkeyAcceptedAlgorithms ssh-ed25519\nIdentityFile DIR/certified", refuses: "Permission denied",
		class: reach.ClassAuth},
	{name: "PubkeyAuthentication no", config: "PubkeyAuthentication no", refuses: "Permission denied",
		class: reach.ClassAuth, reason: "PubkeyAuthentication no"},
}

// rsaKey gives the user an RSA key.
func rsaKey(t *testing.T, c *court) {
	writeKey(t, c.path("rsa"), c.keys["rsa"])
	c.write(t, "authorized", "{rsa}\n{key}")
}
