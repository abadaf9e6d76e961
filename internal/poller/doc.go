// Package poller watches nodes: one goroutine a node leads it through its life (dial, stream, wait, again), and a Manager keeps the set
// of watched nodes equal to the wanted one. It does not know how a node is reached: that is its Opener's.
//
// All methods of Manager may be called from any goroutine; but for Run and Ask they do not block. Events of one node are emitted in order; those of several
// nodes interleave, so emit must be safe for concurrent use. After a node was dropped nothing more is emitted for it but Gone, last.
package poller
