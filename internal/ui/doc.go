// Package ui is the screen of nvnodetop: one Bubble Tea model, what a person has selected, and the keys that lead from page to page.
//
// It reads nothing but Snapshots, which its caller hands it, and asks for nothing but through Controls. A message changes
// what is selected and what is chosen; the page that is on then draws that. It never blocks, and does not read the clock: the caller's Now is the
// only time it knows, so the same Snapshot always gives the same frame. It starts two goroutines: one writes to the terminal, one waits
// for signals.
//
// What is selected is selected by name, so lists may change under it.
//
// Run may be called once at a time. Everything else runs on Bubble Tea's goroutine, except writes, which may block (see terminal), and
// the answers to signals (see shell).
package ui
