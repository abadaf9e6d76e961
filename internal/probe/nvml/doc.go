// Package nvml is NVIDIA's management library as package probe needs it: the only place with cgo, and the only one that knows go-nvml,
// whose types stay inside.
//
// go-nvml calls the C functions directly, and the dynamic linker resolves each at its first call: a function that an older driver's
// library lacks would kill the process there and then. So every call but those that have been there since the first NVML is guarded
// by a look-up of its symbol.
//
// One flag belongs to a build, and cannot be set from here, since the go command does not let a #cgo line say -z lazy:
//
//	-ldflags=-extldflags=-Wl,-z,lazy   where the C compiler links with -z now by default (some distributions do): without it the
//	                                   program dies at its start, driver or not
//
// go-nvml stays at v0.12: the header of v0.13 marks functions that go-nvml itself calls as deprecated, and a build prints 147 lines of
// warnings.
//
// A Library and its Devices are for one goroutine at a time. A build without cgo, or for another system than Linux, has a Library that
// says so.
package nvml
