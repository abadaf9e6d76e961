// Package xid waits for the Xids of GPUs: a Listener runs the waiting on goroutines of its own, and its Box holds the
// events until they are taken. The package knows nothing of NVML: a Watch is one registration with the driver. No event
// is missed while a Listener switches to other GPUs. A Listener is for one goroutine, a Box for several. After End the
// goroutines are gone as soon as their last call returns.
package xid
