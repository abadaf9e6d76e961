package fleet

import (
	"encoding/pem"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// files writes the files that a client needs: a home directory with ssh's files in it; the names of the nodes; and
// "with", which runs a command with all of these in force. One block of ssh's configuration is for all nodes, so ssh is
// asked once.
func (f *Fleet) files(userKey key, port int) error {
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return err
	}
	f.Dir = dir
	me, err := user.Current()
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	block, err := ssh.MarshalPrivateKey(userKey.private, "")
	if err != nil {
		return err
	}
	passwd, _ := os.ReadFile("/etc/passwd") // if users come from elsewhere, one more line is enough
	at := filepath.Join(home, ".ssh")
	for path, text := range map[string]string{
		filepath.Join(at, "config"): fmt.Sprintf("Port %d\nUser %s\nIdentityFile %s/id_ed25519\nIdentitiesOnly "+
			"yes\nIdentityAgent none\nUserKnownHostsFile %s/known_hosts\nGlobalKnownHostsFile /dev/null\n",
			port, me.Username, at, at),
		filepath.Join(at, "id_ed25519"):  string(pem.EncodeToMemory(block)),
		filepath.Join(at, "known_hosts"): f.knownHosts(port),
		filepath.Join(dir, "hosts"):      f.hosts(),
		filepath.Join(dir, "passwd"): fmt.Sprintf("%s:x:%s:%s::%s:/bin/sh\n%s", me.Username, me.Uid, me.Gid, home,
			passwd),
		filepath.Join(dir, "with"): with,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	f.Nodes = f.list()
	return os.Chmod(filepath.Join(dir, "with"), 0o700)
}

func (f *Fleet) knownHosts(port int) string {
	var b strings.Builder
	for i, n := range f.nodes {
		names := []string{}
		for _, name := range []string{f.cluster.Name(i), address(i)} {
			names = append(names, knownhosts.Normalize(name+":"+strconv.Itoa(port)))
		}
		b.WriteString(knownhosts.Line(names, n.host.PublicKey()) + "\n")
	}
	return b.String()
}

// hosts is the text for /etc/hosts.
func (f *Fleet) hosts() string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n")
	if name, err := os.Hostname(); err == nil {
		fmt.Fprintf(&b, "127.0.0.1 %s\n", name)
	}
	for i := range f.nodes {
		fmt.Fprintf(&b, "%s %s\n", address(i), f.cluster.Name(i))
	}
	return b.String()
}

// list lists all nodes as SLURM does.
func (f *Fleet) list() string {
	first, last := f.cluster.Name(0), f.cluster.Name(len(f.nodes)-1)
	prefix := strings.TrimRight(first, "0123456789")
	return fmt.Sprintf("%s[%s-%s]", prefix, strings.TrimPrefix(first, prefix), strings.TrimPrefix(last, prefix))
}

// with mounts the files over those of this host, only for its command: ssh reads the names of hosts from nowhere else,
// and nvnodetop reads the same file.
const with = `#!/bin/sh
# Runs a command as a user who may log in to all nodes of the fleet, in a mount namespace of its own.
set -eu
[ "$(id -u)" = 0 ] || mapped='--user --map-current-user --keep-caps'
unset SSH_AUTH_SOCK XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME
dir=$(dirname "$(readlink -f "$0")")
HOME=$dir/home
export HOME
if [ -e "$dir/slurm/slurm.conf" ]; then # of scripts/fleet.d/controller
	SLURM_CONF=$dir/slurm/slurm.conf
	export SLURM_CONF
fi
exec unshare --mount ${mapped-} sh -c '
	mount --bind "$1/hosts" /etc/hosts && mount --bind "$1/passwd" /etc/passwd && shift && exec "$@"
' sh "$dir" "$@"
`
