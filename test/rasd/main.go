// Command rasd is a rank of a job with a fake NCCL: it does nothing, and answers clients of NCCL's RAS. Started by srun
// on the nodes of scripts/testcluster, or anywhere, all its processes share a directory, in which each one registers:
//
//	go build -o /shared/gpuwork-ras ./test/rasd        # fakenvml puts programs named gpuwork… on GPUs
//	srun -N 4 --ntasks-per-node 4 --gpus-per-node 4 /shared/gpuwork-ras -dir /shared/job
//	echo stuck 5 >/shared/job/scenario                 # at any time
//
// The job has the communicators of test/ras.Parallel: of all ranks, of the ranks of each node, and of those with the
// same place on their nodes. The first word of the scenario says what RAS finds:
//
//	moving            healthy, the default
//	mismatch          healthy, with ranks that are behind for a moment
//	stuck N           rank N has not launched what the others wait for
//	chain N M         likewise, but N waits for M, which is on another node
//	dead N, silent N  the process of rank N
//	error N           rank N reports an error, and all others that a remote process has failed
//	init N            rank N has not initialized the communicator of all
//	left N            rank N has left it
//	launched          nothing moves, and nobody is behind
//
// After it may come "json" (NCCL 2.28), "text" (2.27), "old" (2.24), "took 6s" for a slow collection, and "fault WORD"
// for one of test/ras.Faults: late, slow, endless, garbage, closes, breaks.
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/test/ras"
)

func main() {
	dir := flag.String("dir", "", "`DIRECTORY` that all ranks of the job share")
	pid := flag.Int("pid", os.Getpid(), "`PID` of the rank, if it is another process: rasd ends with it")
	flag.Parse()
	log.Fatal(run(*dir, *pid))
}

// run answers clients until it fails.
func run(dir string, pid int) error {
	if err := register(dir, pid); err != nil {
		return err
	}
	if pid != os.Getpid() {
		go endWith(pid)
	}
	addr := "localhost:28028"
	if env := os.Getenv("NCCL_RAS_ADDR"); env != "" {
		addr = env
	}
	shared := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if wrong := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); wrong != nil {
			return wrong
		}
		return err
	}}
	l, err := shared.Listen(context.Background(), "tcp", addr)
	if err != nil { // as NCCL: the job runs without
		log.Print(err)
		select {}
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go answer(dir, conn)
	}
}

// endWith ends this process when another one is gone.
func endWith(pid int) {
	for unix.Kill(pid, 0) == nil {
		time.Sleep(time.Second)
	}
	os.Exit(0)
}

// register writes down where a rank is. A node has an address of 10.0.0.0/8 that follows from its name.
func register(dir string, pid int) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		host = name
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(host)) // it never fails
	n := sum.Sum32()
	rank, local := env("SLURM_PROCID"), env("SLURM_LOCALID")
	text := fmt.Sprintf("10.%d.%d.%d %d %d\n", n>>16&255, n>>8&255, n&255, pid, local)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%05d", rank)), []byte(text),
		0o644) //nolint:gosec // shared
}

func env(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name)) // outside of SLURM there is one rank
	return n
}

// answer answers a client with the scenario of now.
func answer(dir string, conn net.Conn) {
	text, _ := os.ReadFile(filepath.Join(dir, "scenario")) // none: healthy
	words := append(strings.Fields(string(text)), "", "", "")
	s := ras.Server{}
	version := "2.29.7"
	for i, word := range words {
		switch word {
		case "json":
			version = "2.28.9"
		case "text":
			version = "2.27.7"
		case "old":
			version = "2.24.3"
		case "took":
			s.Took, _ = time.ParseDuration(words[i+1])
		case "fault":
			s.Fault = ras.Fault(words[i+1])
		}
	}
	s.World = func() ras.World {
		w := world(dir, words[0], number(words[1]), number(words[2]))
		w.Version = version
		return w
	}
	s.Talk(conn)
}

func number(word string) int {
	n, _ := strconv.Atoi(word) // a word: 0
	return n
}

// places returns the ranks that have registered.
func places(dir string) (all []ras.Place, perNode int) {
	names, _ := filepath.Glob(filepath.Join(dir, "rank-*")) // the pattern is right
	slices.Sort(names)
	for _, name := range names {
		var p ras.Place
		text, _ := os.ReadFile(name)
		if _, err := fmt.Sscan(string(text), &p.Host, &p.PID, &p.GPU); err == nil {
			all = append(all, p)
			perNode = max(perNode, p.GPU+1)
		}
	}
	return all, max(perNode, 1)
}

// world is what RAS finds out now in a scenario about the ranks a and b.
func world(dir, scenario string, a, b int) ras.World {
	ranks, perNode := places(dir)
	a, b = min(a, len(ranks)-1), min(b, len(ranks)-1)
	count := uint64(66_500)
	if scenario == "" || scenario == "moving" || scenario == "mismatch" {
		count = uint64(time.Now().UnixMilli()/100) % 1_000_000
	}
	w := ras.Parallel(ranks, perNode, count)
	all, node := w.Of(1), w.Of(uint64(0x1001+a/perNode))
	switch scenario {
	case "mismatch":
		all.Launch(1, int(count)%len(ranks))
	case "stuck":
		all.Launch(2, mates(a, perNode)...)
		node.Launch(3, a%perNode)
	case "chain":
		all.Launch(2, append(mates(a, perNode), mates(b, perNode)...)...)
		node.Launch(3, a%perNode)
		w.Of(uint64(0x1001+b/perNode)).Launch(3, b%perNode)
		w.Comms = append(w.Comms, ras.Group(0x3000, []ras.Place{ranks[a], ranks[b]}, 7))
		w.Of(0x3000).Launch(1, 1)
	case "dead", "silent":
		w.Lose(ranks[a].Peer, true, scenario == "dead")
		w.Timeouts = 2
	case "error":
		for i := range all.Ranks {
			all.Ranks[i].Async = 6
		}
		all.Ranks[a].Async = 2
	case "init":
		all.Ranks[a].Init = 7
	case "left":
		all.Missing = []ras.Missing{{Peer: ranks[a].Peer, Rank: a, CUDA: ranks[a].GPU, NVML: ranks[a].GPU}}
		all.Ranks = slices.Delete(all.Ranks, a, a+1)
	}
	return w
}

// mates are the ranks of the node of a rank: they wait for it before they launch anything else.
func mates(rank, perNode int) (list []int) {
	for i := range perNode {
		list = append(list, rank/perNode*perNode+i)
	}
	return list
}
