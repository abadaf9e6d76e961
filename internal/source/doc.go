// Package source makes the Events that everything on screen comes from.
//
// Live is the real cluster: a discoverer asks SLURM which jobs run, a poller watches their nodes. Hosts watches nodes that were named
// by hand.
//
// Each is a cluster.Source, and has the methods by which a person at a screen tells it what is wanted: Touch (somebody is there),
// Refresh (ask now, try now) and Look (list the processes of a node). Those may be called from any goroutine, also before Run; they do
// not block. Ask asks the probe of a node for something, and waits for its answer.
package source
