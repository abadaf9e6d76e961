//go:build linux && cgo && (amd64 || arm64)

package nvml

// #cgo LDFLAGS: -ldl
// void nvnodetop_bind(void);
import "C"

//go:generate ./generate

// bind points go-nvml's calls at the functions of the library that is loaded. A function that the library lacks returns
// ERROR_FUNCTION_NOT_FOUND.
func bind() { C.nvnodetop_bind() }
