// Package nvml is NVIDIA's management library as package probe needs it: the only place with cgo, and the only one that knows go-nvml,
// whose types stay inside.
//
// go-nvml calls the C functions directly, and the dynamic linker resolves each at its first call: a function that an older driver's
// library lacks would kill the process there and then. So every call but those that have been there since the first NVML is guarded
// by a look-up of its symbol.
//
// Two flags belong to a build, and cannot be set from here: the go command does not let a #cgo line say -z lazy, and NVIDIA's header is
// compiled with go-nvml.
//
//	-ldflags=-extldflags=-Wl,-z,lazy                   where the C compiler links with -z now by default (some distributions do):
//	                                                   without it the program dies at its start, driver or not
//	CGO_CFLAGS="-O2 -g -Wno-deprecated-declarations"   spares a page of warnings
//
// A Library and its Devices are for one goroutine at a time. A build without cgo, or for another system than Linux, has a Library that
// says so.
package nvml
