package metric

// ID identifies a metric: it is a row of the table.
type ID uint8

// Metrics of a GPU.
const (
	Util ID = iota
	MemUtil
	Encoder
	Decoder
	JPEG
	OFA
	SMActive
	SMOccupancy
	TensorActive
	DRAMActive
	MemoryUsed
	MemoryTotal
	BAR1Used
	BAR1Total
	Temperature
	MemoryTemperature
	Slowdown
	Shutdown
	MaxOperating
	MemoryMaxOperating
	Fan
	Power
	PowerLimit
	PowerLimitDefault
	PowerLimitMax
	Energy
	PerformanceState
	SMClock
	SMClockMax
	MemClock
	MemClockMax
	GraphicsClock
	GraphicsClockMax
	VideoClock
	VideoClockMax
	Throttle
	PowerCapTime
	SyncBoostTime
	ThermalTime
	SWThermalTime
	HWThermalTime
	PowerBrakeTime
	PCIeGen
	PCIeGenMax
	PCIeWidth
	PCIeWidthMax
	PCIeTX
	PCIeRX
	PCIeReplays
	NVLinks
	NVLinkUp
	NVLinkTX
	NVLinkRX
	NVLinkCRC
	NVLinkReplays
	NVLinkRecoveries
	ECCMode
	ECCUncorrected
	ECCCorrected
	ECCUncorrectedAggregate
	ECCCorrectedAggregate
	RetiredCorrectable
	RetiredUncorrectable
	RetiredPending
	RemappedCorrectable
	RemappedUncorrectable
	RemapPending
	RemapFailed
	BanksWithoutSpareRows
	RecoveryAction
	PersistenceMode
	ComputeMode
	DisplayMode
	DisplayActive
	FabricState
	FabricStatus
	FabricHealth
	FabricClique
	NUMANode
	gpus
)

// Metrics of a node.
const (
	CPU ID = gpus + iota
	CPUUserTime
	CPUSystemTime
	CPUIdleTime
	CPUIOWaitTime
	Load
	Load5
	Load15
	HostMemoryUsed
	HostMemoryTotal
	HostMemoryBuffers
	HostMemoryCached
	HostMemoryShared
	HostMemorySlab
	SwapUsed
	SwapTotal
	NetTX
	NetRX
	NetTXPackets
	NetRXPackets
	InfiniBandTX
	InfiniBandRX
	DiskFree
	DiskTotal
	TmpFree
	TmpTotal
	ShmFree
	ShmTotal
	DiskRead
	DiskWrite
	Uptime
	NVMLCalls
	count
)

// tableEntry is a row with its ID. Rows in a list, unlike those of a map, need no code in the probe.
type tableEntry struct {
	ID
	Row
}

var table = func() (t [count]Row) {
	for _, rows := range [][]tableEntry{useRows, stateRows, linkRows, errorRows, hostRows} {
		for i := range rows {
			t[rows[i].ID] = rows[i].Row
		}
	}
	return t
}()
