// Package cluster is the domain of nvnodetop: jobs, nodes, GPUs and processes, and since when something is wrong with them.
//
// Every input is a stream of Events, whatever Source they come from: the real cluster, the demo, a recording. The Store applies them
// in the order of arrival and hands out Snapshots, immutable pictures of all that is known. Every output is a function of a Snapshot.
//
// What is wrong, and how that is said, is known to the Rules that a Store is given. The Store keeps the time: since when each thing has held,
// when it ended, how often it came back. It keeps that by the times of Events alone, so a replay finds the same, whenever it is looked at.
//
// Store may be called from any goroutine. A Snapshot and all it points to is never changed after it was made, so it may be read from
// any number of goroutines. Time is data: nothing here reads the clock; Events carry the time of their arrival, and the caller says
// what time a Snapshot is for. Strings that came from a node or from SLURM are made fit for a screen once, when an Event enters.
package cluster
