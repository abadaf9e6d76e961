//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// TestCardWithoutUUID: only a GPU that NVML calls lost is lost, and its place on the node is known even then.
func TestCardWithoutUUID(t *testing.T) {
	minor := 3
	for name, tt := range map[string]struct {
		uuid nvml.Return
		want wire.Card
	}{
		"all well": {nvml.SUCCESS, wire.Card{UUID: "GPU-1", Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100",
			Serial: "165", VBIOS: "92.00", Capability: "8.0", FabricDomain: "00000000-0000-0000-0000-000000000009"}},
		"not supported": {nvml.ERROR_NOT_SUPPORTED, wire.Card{Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100",
			Serial: "165", VBIOS: "92.00", Capability: "8.0", FabricDomain: "00000000-0000-0000-0000-000000000009"}},
		"unknown error": {nvml.ERROR_UNKNOWN, wire.Card{Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100",
			Serial: "165", VBIOS: "92.00", Capability: "8.0", FabricDomain: "00000000-0000-0000-0000-000000000009"}},
		"lost": {nvml.ERROR_GPU_IS_LOST, wire.Card{Minor: &minor, PCIBus: "0000:1B",
			Lost: nvml.ERROR_GPU_IS_LOST.Error(), LostID: wire.LostFellOff}},
		"needs a reset": {nvml.ERROR_RESET_REQUIRED, wire.Card{Minor: &minor, PCIBus: "0000:1B",
			Lost: nvml.ERROR_RESET_REQUIRED.Error(), LostID: wire.LostReset}},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := fullGPU(nvml.SUCCESS)
			gpu.GetUUIDFunc = func() (string, nvml.Return) { return "GPU-1", tt.uuid }
			got := (&device{nvml: gpu}).Card()
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateComparable(metric.Values{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
