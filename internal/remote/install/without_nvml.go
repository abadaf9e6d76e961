//go:build !linux || !cgo || !(amd64 || arm64)

package install

// ReadsGPUs says that this program has no NVML: package probe/nvml is built under the same conditions.
const ReadsGPUs = false
