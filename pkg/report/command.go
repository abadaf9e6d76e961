package report

// CommandVersion is the version of Command. The meaning of a field changes only with it.
const CommandVersion = 1

// Command is what a command and its descendants used on one host. Its names in JSON are those of gpu_tracker. As there,
// an unknown number is 0: a host without GPUs has 0 of their memory.
type Command struct {
	Version int `json:"version,omitempty"` // see CommandVersion; 0: gpu_tracker wrote it

	RAM    RAM            `json:"max_ram"`
	GPURAM GPURAM         `json:"max_gpu_ram"`
	CPU    CPUUtilization `json:"cpu_utilization"`
	GPU    GPUUtilization `json:"gpu_utilization"`
	Time   ComputeTime    `json:"compute_time"`
	Tags   []Tag          `json:"tags,omitempty"` // parts that the command marked; gpu_tracker has none
}

// RAM is the highest memory use of a Command at any time.
type RAM struct {
	Unit           string  `json:"unit"`
	SystemCapacity float64 `json:"system_capacity"`
	System         float64 `json:"system"` // by all processes of the host
	Main           RSS     `json:"main"`
	Descendants    RSS     `json:"descendants"`
	Combined       RSS     `json:"combined"`
}

// RSS is resident memory. Each number is a separate maximum: they may be from different times.
type RSS struct {
	Total   float64 `json:"total_rss"`
	Private float64 `json:"private_rss"`
	Shared  float64 `json:"shared_rss"`
}

// GPURAM is the highest use of GPU memory at any time.
type GPURAM struct {
	Unit           string  `json:"unit"`
	SystemCapacity float64 `json:"system_capacity"`
	System         float64 `json:"system"`
	Main           float64 `json:"main"`
	Descendants    float64 `json:"descendants"`
	Combined       float64 `json:"combined"`
}

// CPUUtilization is the use of CPUs by a Command. 100 percent is one CPU.
type CPUUtilization struct {
	SystemCores   int      `json:"system_core_count"`
	ExpectedCores int      `json:"n_expected_cores"`
	System        Percents `json:"system"`
	Main          Percents `json:"main"`
	Descendants   Percents `json:"descendants"`
	Combined      Percents `json:"combined"`

	MainThreads        int `json:"main_n_threads"`
	DescendantsThreads int `json:"descendants_n_threads"`
	CombinedThreads    int `json:"combined_n_threads"`
}

// Percents are the utilization of several CPUs or GPUs: the sum, and the sum divided by the number that is expected to
// be used.
type Percents struct {
	MaxSum       float64 `json:"max_sum_percent"`
	MaxHardware  float64 `json:"max_hardware_percent"`
	MeanSum      float64 `json:"mean_sum_percent"`
	MeanHardware float64 `json:"mean_hardware_percent"`
}

// GPUUtilization is the use of the GPUs by all processes of the host.
type GPUUtilization struct {
	SystemGPUs   int      `json:"system_gpu_count"`
	ExpectedGPUs int      `json:"n_expected_gpus"`
	Percentages  Percents `json:"gpu_percentages"`
}

// ComputeTime is how long the command ran.
type ComputeTime struct {
	Unit string  `json:"unit"`
	Time float64 `json:"time"`
}
