// Package cluster tests the built program, with the race detector, on a real SLURM and ssh cluster on this machine: as
// user alice, in a terminal, under every fault that scripts/testcluster can inject. The tests run when
// NVNODETOP_CLUSTER is set; scripts/test sets it for root on Debian.
//
// Tests mostly wait. So -clusters=5 starts five clusters, each of which runs one test after the other; within a test,
// faults of single nodes are injected into several nodes at once.
//
// With TESTCLUSTER_SUITE they run on the SLURM and OpenSSH of another Debian release; -slurm leaves out the tests that
// find the same everywhere.
package cluster
