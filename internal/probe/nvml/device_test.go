//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// TestCardWithoutUUID: only what NVML calls lost is lost, and its place on the node is told even then.
func TestCardWithoutUUID(t *testing.T) {
	minor := 3
	for name, tt := range map[string]struct {
		uuid nvml.Return
		want wire.Card
	}{
		"all well":      {nvml.SUCCESS, wire.Card{UUID: "GPU-1", Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100"}},
		"not supported": {nvml.ERROR_NOT_SUPPORTED, wire.Card{Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100"}},
		"unknown error": {nvml.ERROR_UNKNOWN, wire.Card{Minor: &minor, PCIBus: "0000:1B", Name: "NVIDIA A100"}},
		"lost":          {nvml.ERROR_GPU_IS_LOST, wire.Card{Minor: &minor, PCIBus: "0000:1B", Lost: nvml.ERROR_GPU_IS_LOST.Error(), LostID: wire.LostFellOff}},
		"needs a reset": {nvml.ERROR_RESET_REQUIRED, wire.Card{Minor: &minor, PCIBus: "0000:1B", Lost: nvml.ERROR_RESET_REQUIRED.Error(), LostID: wire.LostReset}},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := &mock.Device{
				GetUUIDFunc:        func() (string, nvml.Return) { return "GPU-1", tt.uuid },
				GetNameFunc:        func() (string, nvml.Return) { return "NVIDIA A100", nvml.SUCCESS },
				GetMinorNumberFunc: func() (int, nvml.Return) { return minor, nvml.SUCCESS },
				GetMigModeFunc:     func() (int, int, nvml.Return) { return 0, 0, nvml.ERROR_NOT_SUPPORTED },
				GetPciInfoFunc: func() (nvml.PciInfo, nvml.Return) {
					var info nvml.PciInfo
					for i, c := range "0000:1B" {
						info.BusId[i] = int8(c)
					}
					return info, nvml.SUCCESS
				},
			}
			got := (&device{nvml: gpu}).Card()
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateComparable(metric.Values{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
