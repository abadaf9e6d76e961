package site

import "github.com/nvnodetop/nvnodetop/internal/wire/metric"

// GPUModel is a kind of GPU.
type GPUModel struct {
	Name        string
	Memory      uint64 // MiB
	SMMax, Mem  int    // MHz
	SMIdle      int
	Limit, Idle float64 // W
	Slowdown    int     // °C
	VideoMax    int     // highest clock of the video engines, MHz
	PCIe, Links int     // generation, NVLink links
	GPM         bool    // the driver has metrics of GPM
	VBIOS       string
	Capability  string // of CUDA
}

// The models of the demo.
var (
	H100 = &GPUModel{Name: "NVIDIA H100 80GB HBM3", Memory: 81559, SMMax: 1980, Mem: 2619, SMIdle: 345, Limit: 700,
		Idle: 72, Slowdown: 87,
		VideoMax: 1545, PCIe: 5, Links: 18, GPM: true, VBIOS: "96.00.89.00.01", Capability: "9.0"}
	A100 = &GPUModel{Name: "NVIDIA A100-SXM4-80GB", Memory: 81920, SMMax: 1410, Mem: 1593, SMIdle: 210, Limit: 400,
		Idle: 58, Slowdown: 92,
		VideoMax: 1275, PCIe: 4, Links: 12, VBIOS: "92.00.45.00.03", Capability: "8.0"}
)

// HottestMemory is the maximum temperature of the memory, in degrees. A GPU that throttles stays at it.
const HottestMemory = 95

// Once returns the constant values that the driver gives for every GPU of a model.
func (m *GPUModel) Once() metric.Values {
	return metric.Make(map[metric.ID]float64{
		metric.MemoryTotal: float64(m.Memory << 20), metric.BAR1Total: float64(128 << 30), metric.ECCMode: 1,
		metric.Slowdown: float64(m.Slowdown), metric.Shutdown: float64(m.Slowdown + 5),
		metric.MaxOperating:       float64(m.Slowdown - 2),
		metric.MemoryMaxOperating: HottestMemory, metric.PowerLimitDefault: m.Limit, metric.PowerLimitMax: m.Limit,
		metric.SMClockMax: float64(m.SMMax), metric.GraphicsClockMax: float64(m.SMMax),
		metric.MemClockMax: float64(m.Mem), metric.VideoClockMax: float64(m.VideoMax),
		metric.PCIeGenMax: float64(m.PCIe), metric.PCIeWidthMax: 16, metric.NVLinks: float64(m.Links),
	})
}

// absentMetrics has the metrics that no GPU of a model has.
var absentMetrics = map[*GPUModel]map[string][]string{H100: H100.absentOf(), A100: A100.absentOf()}

// Absent lists the metrics that no GPU of the model has, by the driver's reason.
func (m *GPUModel) Absent() map[string][]string { return absentMetrics[m] }

func (m *GPUModel) absentOf() map[string][]string {
	absent := []metric.ID{metric.Fan, metric.RetiredCorrectable, metric.RetiredUncorrectable, metric.RetiredPending,
		metric.FabricHealth}
	if !m.GPM {
		absent = append(absent, metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive,
			metric.FabricState, metric.FabricStatus, metric.FabricClique)
	}
	var keys []string
	for _, id := range absent {
		keys = append(keys, id.Row().Key)
	}
	return map[string][]string{"Not Supported": keys}
}
