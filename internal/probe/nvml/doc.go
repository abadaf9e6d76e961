// Package nvml gives package probe NVIDIA's management library. It is the only package with cgo and the only one that
// knows go-nvml, whose types stay inside.
//
// go-nvml calls NVML's C functions by name and lets the dynamic linker find them, in a library that go-nvml loads
// later. A program built that way does not start where all symbols are resolved at once (LD_BIND_NOW, or a compiler
// that links with -z now), even if it never uses NVML, and it is ended when it calls a function that an older driver
// lacks. So bind.c defines every function of NVML in this program. Each jumps to the address in its slot, and Init
// fills the slots from the library. A function that the library lacks returns ERROR_FUNCTION_NOT_FOUND. The slots cost
// nothing before Init.
//
// symbols.h lists the functions: run "go generate" after an update of go-nvml. go-nvml stays at v0.12: the header of
// v0.13 marks functions that go-nvml itself calls as deprecated, so that every build prints 147 lines of warnings. Do
// not use its constants for fields (FI_…) from 251 on: other drivers number those fields differently (fields.go).
//
// While Init or Shutdown runs, nothing else may be called; all other methods of a Library and its Devices may be called
// from several goroutines at once. A build without cgo, or for another system than Linux on amd64 and arm64, has a
// Library whose Init says so.
package nvml
