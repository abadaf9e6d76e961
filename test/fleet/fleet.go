// Package fleet plays the nodes of a large cluster in one process: an ssh server for each of them on an address of
// loopback, with a host key of its own and real handshakes. A login runs the protocol of a probe, fed by the world of
// the demo. Nodes may be far away, lose packets, or be in one of several kinds of trouble.
//
// Each node has a copy of the probe already: the script that starts one becomes a probe, and any other fails as an
// unknown command does. So a fleet shows a warm start, and no copy of the probe is ever made.
//
// The methods of a Fleet may be called from any goroutine. Close ends everything that it has started.
package fleet

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/source/demo"
)

// Options describe a fleet.
type Options struct {
	Nodes, GPUs int           // GPUs of each node
	Trouble     int           // number of nodes in trouble; the kinds take turns
	RTT         time.Duration // delay of each answer of a node
	Loss        float64       // share of segments that come late, as after a loss
	Dir         string        // directory for the files of a client, see Fleet.Dir
}

// Fleet is a running fleet.
type Fleet struct {
	Dir   string // configuration of ssh, keys, names, and the script "with" that runs a command with these
	Nodes string // all nodes, as --nodes takes them

	options Options
	cluster *demo.Cluster
	nodes   []*node
	counts  counters
	ending  context.Context
	end     context.CancelFunc
	running sync.WaitGroup
}

// pace is the pace of the demo's world. A session has the pace that its client asks for.
const pace = 3 * time.Second

// Limits of Options. There are enough addresses for them.
const (
	maxNodes = 10_000
	maxGPUs  = 64
)

// ErrOptions is the error of Start for an impossible fleet.
var ErrOptions = errors.New("no such fleet")

func (o Options) check() error {
	switch {
	case o.Nodes < 1 || o.Nodes > maxNodes:
		return fmt.Errorf("%w: %d nodes: a fleet has 1 to %d", ErrOptions, o.Nodes, maxNodes)
	case o.GPUs < 1 || o.GPUs > maxGPUs:
		return fmt.Errorf("%w: %d GPUs: a node has 1 to %d", ErrOptions, o.GPUs, maxGPUs)
	case o.Trouble < 0 || o.Trouble >= o.Nodes:
		return fmt.Errorf("%w: %d nodes in trouble: 0 to %d may be", ErrOptions, o.Trouble, o.Nodes-1)
	case o.RTT < 0 || o.RTT > 10*time.Second:
		return fmt.Errorf("%w: a round trip of %v: it takes 0 to 10 s", ErrOptions, o.RTT)
	case !(o.Loss >= 0 && o.Loss < 1):
		return fmt.Errorf("%w: a loss of %v: it is a share below 1", ErrOptions, o.Loss)
	}
	return nil
}

// Start starts a fleet, which ends with Close.
func Start(o Options) (*Fleet, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	f := &Fleet{Dir: o.Dir, options: o, cluster: demo.NewCluster(o.Nodes, o.GPUs, demo.Seed, pace)}
	f.ending, f.end = context.WithCancel(context.Background())
	if err := f.start(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Fleet) start() error {
	user, err := newKey()
	if err != nil {
		return err
	}
	trouble := f.options.troubles()
	for i := range f.options.Nodes {
		n, err := f.newNode(i, trouble[i], user.PublicKey())
		if err != nil {
			return err
		}
		f.nodes = append(f.nodes, n)
	}
	f.arm()
	port, err := f.listen()
	if err != nil {
		return err
	}
	if err := f.write(user, port); err != nil {
		return err
	}
	for _, n := range f.nodes {
		if n.listener != nil {
			f.running.Go(n.serve)
		}
	}
	return nil
}

// Close ends all sessions and servers.
func (f *Fleet) Close() {
	f.end()
	for _, n := range f.nodes {
		n.close()
	}
	f.running.Wait()
}

// Addresses returns the addresses of all nodes. ssh's files have them beside the names.
func (f *Fleet) Addresses() (all []string) {
	for i := range f.nodes {
		all = append(all, address(i))
	}
	return all
}

// Healthy returns the addresses of the nodes that are not in trouble.
func (f *Fleet) Healthy() (some []string) {
	for i, n := range f.nodes {
		if n.trouble == none {
			some = append(some, address(i))
		}
	}
	return some
}

// attempts is the number of ports tried before none is free at all addresses.
const attempts = 10

// listen makes all nodes listen, at the same port.
func (f *Fleet) listen() (port int, err error) {
	for range attempts {
		port = 0
		for _, n := range f.nodes {
			if err = n.listen(f.ending, port); err != nil {
				break
			}
			port = n.port
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return port, err
		}
		for _, n := range f.nodes {
			n.close()
		}
	}
	return 0, err
}

// perNet is the number of addresses used out of 256.
const perNet = 250

// address returns the address of a node, counted from 0.
func address(node int) string {
	return net.IPv4(127, 77, byte(node/perNet), byte(1+node%perNet)).String()
}

// key is a key with its file's text.
type key struct {
	ssh.Signer
	private ed25519.PrivateKey
}

func newKey() (key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return key{}, err
	}
	signer, err := ssh.NewSignerFromKey(private)
	return key{signer, private}, err
}

// endpoint is an address with a port.
func endpoint(node, port int) string { return net.JoinHostPort(address(node), strconv.Itoa(port)) }

// write writes the files of a client into Dir.
func (f *Fleet) write(user key, port int) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	return f.files(user, port)
}
