//go:build linux && cgo && (amd64 || arm64)

package nvml

// #cgo LDFLAGS: -ldl
// void nvnodetop_bind(void);
// extern unsigned long long nvnodetop_calls;
import "C"

import (
	"sync/atomic"
	"unsafe"
)

//go:generate ./generate

// bindCalls points go-nvml's calls at the functions of the loaded library. A function that the library lacks returns
// ERROR_FUNCTION_NOT_FOUND.
func bindCalls() { C.nvnodetop_bind() }

// Calls returns the number of driver calls by anything in the program: bind.c counts each call on its way.
func (*Library) Calls() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&C.nvnodetop_calls)))
}
