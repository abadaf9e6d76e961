// Package health knows what can be wrong and how that is said: rules.go has a row for each thing, say.go its words.
//
// Both are functions of what they are given. Rules see one moment of a node or a GPU; cluster.Store asks them with each Event and keeps the
// time. Say reads the evidence (a temperature, a clock) from the Snapshot, when something is to be drawn. Everything here may be called
// from any number of goroutines. Strings from nodes have been made fit for a screen before they come here.
package health
