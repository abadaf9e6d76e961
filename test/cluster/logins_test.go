package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// atCells is the directory of the files for the ways of logging in: a part of the ssh configuration for each node, and
// keys.
const atCells = "/home/alice/.cells"

// way is one way in which a node lets its users in, used on one node at a time with alice's configuration for that
// node.
type way struct {
	name   string
	config string              // for alice's login; {node} is the node, {keys} the directory of her keys
	node   []string            // commands of root on the node
	faults [][]string          // faults of the node, after the commands
	login  string              // a command of root on login
	typed  []string            // answers at a terminal, one for each run there
	says   map[string][]string // error message of each transport that does not reach a node this way
}

// refused is the class of a login without a key.
var refused = []string{"Class:auth"}

// noDirect makes login an address to which the sshd of a node does not answer.
var noDirect = []string{"iptables -I INPUT -s 10.77.0.1 -p tcp --dport 22 -j DROP"}

// codes are one-time codes. The last one is for the master.
var codes = []string{"111111", "222222"}

var ways = []way{
	{name: "key"},
	{name: "encrypted key", config: "IdentityFile {keys}/locked", typed: []string{"secret", "secret"},
		says: map[string][]string{"openssh": refused}}, // the master asks nothing
	{name: "agent", config: "IdentityFile none\nIdentityAgent {keys}/agent"},
	{name: "user certificate", config: "IdentityFile {keys}/certified",
		node:   []string{"cp {keys}/ca.pub /etc/ssh/users_ca.pub"},
		faults: [][]string{{"sshd", "TrustedUserCAKeys /etc/ssh/users_ca.pub;AuthorizedKeysFile none"}}},
	{name: "host CA", config: "UserKnownHostsFile {keys}/known",
		node: []string{"cp {keys}/ca /run/ca && chown root /run/ca && cp /etc/ssh/ssh_host_ed25519_key.pub " +
			"/etc/ssh/by_ca.pub && " +
			"ssh-keygen -q -s /run/ca -h -I {node} -n {node} /etc/ssh/by_ca.pub && rm /run/ca"},
		faults: [][]string{{"unknownkey"}, {"sshd", "HostCertificate /etc/ssh/by_ca-cert.pub"}}},
	{name: "one-time code", faults: [][]string{slices.Concat([]string{"otp"}, codes)}, typed: codes[:1],
		// a node could ask for a code again and again: a master is the way
		says: map[string][]string{"ssh": refused, "openssh": refused}},
	{name: "hostbased", config: "HostbasedAuthentication yes",
		login:  "mkdir -p /etc/ssh/ssh_config.d && echo EnableSSHKeysign yes >/etc/ssh/ssh_config.d/keysign.conf",
		node:   []string{"printf 'login\\n10.77.0.1\\n' >/etc/ssh/shosts.equiv"},
		faults: [][]string{{"sshd", "HostbasedAuthentication yes;AuthenticationMethods hostbased"}},
		says:   map[string][]string{"ssh": refused, "login": {"permission denied (hostbased)"}}},
	{name: "jump host", config: "ProxyJump node01", node: noDirect},
	{name: "tcsh", node: []string{"usermod -s /usr/bin/tcsh alice"}},
	{name: "csh", node: []string{"usermod -s /usr/bin/bsd-csh alice"}},
	{name: "fish", node: []string{"usermod -s /usr/bin/fish alice"}},
	{name: "zsh", node: []string{"usermod -s /usr/bin/zsh alice"}}, // zsh's startup file takes 3 s
	{name: "IPv6", config: "HostName {node}-v6\nHostKeyAlias {node}",
		login: "ip -6 addr replace fd77::ff/64 dev br0 nodad && echo fd77::$(echo {node} | tail -c 2) {node}-v6 " +
			">>/etc/hosts",
		node:   []string{"ip -6 addr replace fd77::$(hostname | tail -c 2)/64 dev eth0 nodad"},
		faults: [][]string{{"sshd", "AddressFamily any"}}}, // the cluster's have IPv4 only
	{name: "ProxyCommand", config: "ProxyCommand ssh -W %h:%p node01", node: noDirect},
}

// TestLogins is most of the table in docs/TRANSPORTS.md: each way of logging in, through each transport that uses the
// node's sshd. At a terminal the user gets the necessary questions, and nothing is left anywhere.
func TestLogins(t *testing.T) {
	prepareCells(t)
	t.Cleanup(func() { leavesNothing(t, "login") })
	free := make(chan string, nodes)
	for i := 2; i <= nodes; i++ {
		free <- fmt.Sprintf("node%02d", i)
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			node := <-free
			t.Cleanup(func() { free <- node })
			c := &cell{way: w, node: node}
			c.open(t)
			t.Run("ssh", func(t *testing.T) { c.reaches(t, "ssh") })
			t.Run("openssh", func(t *testing.T) { c.reaches(t, "openssh") })
			t.Run("login", c.isTheLoginHost)
			c.withMaster(t)
			t.Run("control", func(t *testing.T) { c.reaches(t, "control") })
			t.Run("openssh through a master", func(t *testing.T) { c.reachesAs(t, "openssh", nil) })
			do(t, "on", "-u", "alice", "login", "ssh", "-O", "check", node) // it belongs to the user
			leavesNothing(t, node)
		})
	}
}

// cell is a way that is open on a node.
type cell struct {
	way
	node string
	runs int // at a terminal
}

func (c *cell) fill(s string) string {
	return strings.NewReplacer("{node}", c.node, "{keys}", atCells).Replace(s)
}

// prepareCells makes alice's keys, certificate, agent and configuration, and removes them when the test ends.
func prepareCells(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		do(t, "on", "-u", "alice", "login", "sh", "-c", "kill $(cat "+atCells+
			"/agent.pid); mv ~/.ssh/authorized_keys.before ~/.ssh/authorized_keys; rm -r ~/.ssh/config ~/.cshrc "+
			"~/.zshenv ~/.config/fish "+atCells)
		do(t, "on", "login", "sh", "-c",
			"rm -f /etc/ssh/ssh_config.d/keysign.conf; sed -i /^fd77::/d /etc/hosts; ip -6 addr flush dev br0 scope "+
				"global")
	})
	do(t, "on", "-u", "alice", "login", "sh", "-ec", `
		mkdir -p `+atCells+`/config
		cd `+atCells+`
		cp ~/.ssh/authorized_keys ~/.ssh/authorized_keys.before
		for key in held certified ca; do ssh-keygen -q -t ed25519 -N '' -f $key; done
		ssh-keygen -q -t ed25519 -N secret -f locked
		ssh-keygen -q -s ca -I alice -n alice certified.pub
		echo "@cert-authority * $(cat ca.pub)" >known
		cat held.pub locked.pub >>~/.ssh/authorized_keys
		eval "$(ssh-agent -a $PWD/agent)" >/dev/null
		echo $SSH_AGENT_PID >agent.pid
		ssh-add -q held
		rm held
		printf '#!/bin/sh\ncase $1 in *passphrase*) echo secret ;; *) echo `+codes[len(codes)-1]+` ;; esac\n' >askpass
		chmod +x askpass
		mkdir -p ~/.config/fish
		for file in .cshrc .zshenv .config/fish/config.fish; do echo "echo Welcome, 93% of your quota is used" >~/$file; done
		echo "sleep 3" >>~/.zshenv
		echo "Include `+atCells+`/config/*" >~/.ssh/config`)
}

// open makes the node let alice in only this way, as far as it matters, and undoes this when the test ends.
func (c *cell) open(t *testing.T) {
	t.Helper()
	c.configure(t, c.config)
	t.Cleanup(func() {
		do(t, "heal", c.node)
		do(t, "on", c.node, "sh", "-c", "rm -f /etc/ssh/users_ca.pub /etc/ssh/shosts.equiv /etc/ssh/by_ca*; usermod "+
			"-s /bin/bash alice; ip -6 addr flush dev eth0 scope global")
	})
	if c.login != "" {
		do(t, "on", "login", "sh", "-c", c.fill(c.login))
	}
	for _, command := range c.way.node {
		do(t, "on", c.node, "sh", "-c", c.fill(command))
	}
	for _, f := range c.faults {
		do(t, slices.Concat([]string{"fault", f[0], c.node}, f[1:])...)
	}
}

// configure sets alice's ssh options for the node.
func (c *cell) configure(t *testing.T, options string) {
	t.Helper()
	do(t, "on", "-u", "alice", "login", "sh", "-c", `printf 'Host %s\n%s\n' "$1" "$2" >`+atCells+`/config/"$1"`, "sh",
		c.node, c.fill(options))
}

// withMaster starts a ControlMaster; the test answers its questions as the user would.
func (c *cell) withMaster(t *testing.T) {
	t.Helper()
	c.configure(t, c.config+"\nControlPath /tmp/cell-%h")
	t.Cleanup(func() { _, _ = script("on", "-u", "alice", "login", "ssh", "-O", "exit", c.node) })
	do(t, "on", "-u", "alice", "login", "env", "SSH_ASKPASS="+atCells+"/askpass", "SSH_ASKPASS_REQUIRE=force", "sh",
		"-c",
		"ssh -o ControlMaster=yes -fN "+c.node+" </dev/null >/dev/null 2>&1")
}

// reaches checks that a transport reaches the node, or says why not. It answers questions at a terminal, if there are
// any.
func (c *cell) reaches(t *testing.T, transport string) {
	t.Helper()
	if c.typed == nil || c.says[transport] != nil || transport != "ssh" {
		c.reachesAs(t, transport, c.says[transport])
		return
	}
	c.answers(t, "--nodes", c.node, "--transport", transport)
}

// reachesAs is reaches without a terminal. says are the words of the node's failure; nil: success.
func (c *cell) reachesAs(t *testing.T, transport string, says []string) {
	t.Helper()
	// one of them copies the probe
	r := runs(t, "--nodes", c.node, "--transport", transport, "--json", "--timeout", "40s")
	n := r.json(t).Nodes[0]
	switch {
	case says == nil && (n.State != "reporting" || n.Transport != transport || len(n.GPUs) != 4):
		t.Errorf("%s is %s through %q: %+v", c.node, n.State, n.Transport, n.Failure)
	case says != nil && (n.State == "reporting" || !all(fmt.Sprintf("%+v", n.Failure), says)):
		t.Errorf("%s is %s through %q: %+v, want words %q", c.node, n.State, n.Transport, n.Failure, says)
	}
}

// isTheLoginHost uses the node as the login host of a cluster.
func (c *cell) isTheLoginHost(t *testing.T) {
	args := []string{"--login", "alice@" + c.node, "--nodes", "node01"}
	if c.typed != nil {
		c.answers(t, args...)
		return
	}
	r := runs(t, append(args, "--json")...)
	if says := c.says["login"]; says != nil {
		if r.code != 3 && r.code != 1 || !all(r.stderr+r.stdout, says) {
			t.Errorf("exit code %d, stderr %q, want words %q", r.code, r.stderr, says)
		}
		return
	}
	if d := r.json(t); len(d.Nodes) != 1 || d.Nodes[0].State != "reporting" || len(d.Nodes[0].GPUs) != 4 {
		t.Errorf("exit code %d, stderr %q, %+v", r.code, r.stderr, d.Nodes)
	}
}

// answers runs nvnodetop at a terminal, types the next answer when asked, and waits for the GPUs.
func (c *cell) answers(t *testing.T, args ...string) {
	t.Helper()
	w := watch(t, args...)
	if _, err := w.WaitFor(slack, "a question", func(s string) bool {
		return all(s, []string{"assphrase"}) ||
			all(s, []string{"assword"})
	}); err != nil {
		t.Fatal(err)
	}
	w.types(c.typed[c.runs] + "\r")
	c.runs++
	w.sees("4 GPUs OK")
	w.quits()
}

// leavesNothing checks that no process and no file of nvnodetop's is left on a host, and for a node no connection to
// it. For login, all watchers must have ended.
func leavesNothing(t *testing.T, host string) {
	t.Helper()
	const files = "find /tmp /var/tmp /dev/shm /run/user -name '*nvnodetop*' 2>/dev/null; "
	checks := [][]string{
		{"on", host, "sh", "-c", files + "pgrep -a -f '^[^ ]*nvnodetop'; pgrep -a -f '^[^ ]*srun .*nvnodetop'; true"},
		{"on", "login", "sh", "-c", "pgrep -a -f '^[^ ]*ssh .*-- " + host + " '; true"},
	}
	const within = 65 * time.Second // a probe whose connection was cut ends after 60 s of silence
	left := ""
	for began := time.Now(); time.Since(began) < within; time.Sleep(200 * time.Millisecond) {
		left = ""
		for _, check := range checks {
			left += do(t, check...)
		}
		if left == "" {
			return
		}
	}
	t.Errorf("for %s there is left:\n%s", host, left)
}
