// Package tally works out of a Snapshot what several outputs show: which GPUs are a job's, sums and series over them, the slowest and the
// hottest, whose a GPU is, and which names match a filter.
//
// Everything here is a function of its arguments: nothing is kept, no clock is read, and what a GPU gives no number for is never counted
// as 0. How a number is written is up to who shows it. Functions may be called concurrently.
package tally
