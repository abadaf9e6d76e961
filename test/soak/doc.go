// Package soak has tests that let nvnodetop watch a faulty cluster for a day, in simulated time: the discoverer, the
// poller, the sessions and the Store are the real ones, and so is the protocol. SLURM, the ways to the nodes and the
// probes are fakes in this process.
//
// The faults come from a seeded schedule. TestADay takes two hours of simulated time, and as much as NVNODETOP_SOAK
// says, as in NVNODETOP_SOAK=24h; NVNODETOP_SEED is another seed.
package soak
