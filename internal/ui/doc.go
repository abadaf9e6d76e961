// Package ui is the screen of nvnodetop: one Bubble Tea model, and pure functions that draw a Snapshot.
//
// It reads nothing but Snapshots, which its caller hands it, and asks for nothing but through Controls. The words of what is wrong are
// those of package health; this package says where they stand. It never blocks, and does not read the clock: the caller's Now is the
// only time it knows, so the same Snapshot always gives the same frame. It starts two goroutines: one writes to the terminal, one waits
// for signals.
//
// Positions depend on the size of the terminal alone, never on values. What is selected is selected by name, so lists may change under it.
//
// Run may be called once at a time. Everything else runs on Bubble Tea's goroutine, except writes, which may block (see terminal), and
// the answers to signals (see shell).
package ui
