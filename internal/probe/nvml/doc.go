// Package nvml gives package probe NVIDIA's management library. It is the only package with cgo and the only one that
// knows go-nvml, whose types stay inside.
//
// go-nvml calls NVML's C functions by name and lets the dynamic linker find them, in a library that go-nvml loads
// later. A program built that way does not start where all symbols are resolved at once (LD_BIND_NOW, or a compiler
// that links with -z now), even if it never uses NVML, and it is killed when it calls a function that an older driver
// lacks. So bind.c defines every function of NVML in this program. Each jumps to the address in its slot, and Init
// fills the slots from the library. A function that the library lacks returns ERROR_FUNCTION_NOT_FOUND. The slots cost
// nothing before Init.
//
// symbols.h lists the functions: run "go generate" after an update of go-nvml. go-nvml stays at v0.12: the header of
// v0.13 marks functions that go-nvml itself calls as deprecated, so that every build prints 147 lines of warnings.
// v0.13.4 has no switch for them; the flags of cgo in this package do not reach another one, and "go install" knows
// neither our CGO_CFLAGS nor a replaced module. Do not use its constants for fields (FI_…) from 251 on: other drivers
// number those fields differently (fields.go).
//
// While Init or Shutdown runs, nothing else may be called; all other methods of a Library and its Devices may be called
// from several goroutines at once. A build without cgo, or for another system than Linux on amd64 and arm64, has a
// Library whose Init says so.
//
// # Readers
//
// Each metric of a GPU is a row of the table in internal/wire/metric and has one Reader, in a file of
// internal/probe/nvml that is named like the file of the row. A Reader makes one call of NVML (a few walk over links),
// for metrics of the same pace: once per list of GPUs, every 60 s, or in each report. A report costs 18 driver calls
// for an A100 and 22 for an H100, and 32 more every 60 s; a test counts them. The probe counts them too: each driver
// call passes through a counting jump in package nvml, whoever makes the call. Each report has the number of driver
// calls since the previous report (nvml_calls), including the calls for process lists and for an inventory, and the
// call every 5 s that waits for Xids.
//
//   - Fields are NVML's numbered values (fields.go). All fast fields are read with one call, all slow fields with
//     another. Each field has its own result. A metric may have several sources, such as a total or the sum of the
//     links: the first source that the GPU answers is kept. After its first reading a batch no longer asks for the
//     other sources, nor for fields that the GPU does not have. The numbers of fields from 251 on differ between
//     drivers, so a source may say from which driver on it may be read.
//   - GPM (Hopper and later) measures between two samples. The probe keeps two samples per GPU or MIG instance; each
//     report takes a new sample and reads the metrics since the previous sample. Samples stay allocated until Shutdown,
//     even while the GPUs are listed again.
//
// go-nvml calls C functions by name. internal/probe/nvml defines all of these functions as jumps into the driver's
// library, so the dynamic linker has none to resolve. The program starts without a driver, and calling a function that
// an old driver lacks returns an error. Shutdown is never called after a failed Init, and neither Init nor Shutdown
// runs during another call. One goroutine of the probe always waits in the driver for Xids, 5 s in each call: before
// the driver is opened again, this goroutine is asked to end, and the opening waits for its end. When the probe exits
// during such a call, Shutdown is left out. When the set of watched GPUs changes, a second goroutine registers for
// their events before the first is asked to end: no Xid is missed meanwhile, and once the second has registered, only
// its Xids count.
package nvml
