// Package reach is the vocabulary of reaching something: the stages of an attempt, how far each is, and why it failed.
//
// It is a leaf. Those who reach a node or SLURM speak it, and so do those who keep and draw what came of it; none of them needs to know
// another. It decides nothing; its values may be read from any number of goroutines.
package reach
