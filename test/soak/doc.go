// Package soak lets nvnodetop watch a faulty cluster for a day, in simulated time: the discoverer, the poller, the
// sessions, the Store and the protocol are the real ones. SLURM, the connections to the nodes and the probes are fakes
// in this process.
//
// The faults come from a seeded schedule. TestADay takes two hours of simulated time, or the time of NVNODETOP_SOAK, as
// in NVNODETOP_SOAK=24h; NVNODETOP_SEED is another seed.
package soak
