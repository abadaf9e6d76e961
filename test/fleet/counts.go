package fleet

import (
	"sync"
	"syscall"
	"time"
)

// Counts is what the servers of a fleet have seen.
type Counts struct {
	Nodes     int       `json:"nodes"`
	Healthy   int       `json:"healthy"`   // nodes that are not in trouble
	Reporting int       `json:"reporting"` // healthy nodes that have sent a report
	AllAt     time.Time `json:"all_at"`    // time of the first report of the last of them; zero: not yet

	Connections uint64 `json:"connections"` // all accepted connections
	Logins      uint64 `json:"logins"`
	Turned      uint64 `json:"turned_away"` // connections beyond MaxStartups

	Unauthenticated Gauge `json:"unauthenticated"`          // connections that are not logged in
	OnOneNode       int   `json:"unauthenticated_per_node"` // the most of them on one node at a time
	Handshakes      Gauge `json:"handshakes"`               // from the first message of the key exchange to the login
	Exchanges       Gauge `json:"exchanges"`                // to the end of the key exchange

	Sessions Gauge  `json:"sessions"` // probes that run
	Reports  uint64 `json:"reports"`
	Lists    uint64 `json:"lists"` // reports with a list of processes
	Bytes    uint64 `json:"bytes"` // bytes that probes have written

	CPU time.Duration `json:"cpu_ns"` // of this process
}

// Gauge is a number that goes up and down.
type Gauge struct {
	Now  int `json:"now"`
	Most int `json:"most"`
}

func (g *Gauge) add(n int) {
	g.Now += n
	g.Most = max(g.Most, g.Now)
}

// counters are Counts while they grow.
type counters struct {
	mu sync.Mutex
	Counts
}

// count changes the counts.
func (f *Fleet) count(change func(*Counts)) {
	f.counts.mu.Lock()
	defer f.counts.mu.Unlock()
	change(&f.counts.Counts)
}

// Counts returns the counts so far.
func (f *Fleet) Counts() (c Counts) {
	f.count(func(now *Counts) { c = *now })
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // does not fail for the process itself
	c.CPU = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	c.Nodes, c.Healthy = f.options.Nodes, f.options.Nodes-f.options.Trouble
	return c
}
