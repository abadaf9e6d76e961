// Package cluster tests the built program, race detector included, on a real SLURM and ssh cluster of this machine: as alice, in a
// terminal, under every fault that scripts/testcluster can make. The tests run when NVNODETOP_CLUSTER is set, as scripts/test does on
// Debian as root. They share one cluster and run one after the other; the faults of single nodes, though, come to several nodes at once.
package cluster
