package track

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Report is what a command has used. Its names in JSON are gpu_tracker's.
type Report struct {
	RAM    RAM            `json:"max_ram"`
	GPURAM GPURAM         `json:"max_gpu_ram"`
	CPU    CPUUtilization `json:"cpu_utilization"`
	GPU    GPUUtilization `json:"gpu_utilization"`
	Time   ComputeTime    `json:"compute_time"`
}

// RAM is the most memory that was used at a time.
type RAM struct {
	Unit           string  `json:"unit"`
	SystemCapacity float64 `json:"system_capacity"`
	System         float64 `json:"system"` // by all processes of the host
	Main           RSS     `json:"main"`
	Descendants    RSS     `json:"descendants"`
	Combined       RSS     `json:"combined"`
}

// RSS is resident memory. Each number is a maximum of its own: they may be of different times.
type RSS struct {
	Total   float64 `json:"total_rss"`
	Private float64 `json:"private_rss"`
	Shared  float64 `json:"shared_rss"`
}

// GPURAM is the most memory of GPUs that was used at a time.
type GPURAM struct {
	Unit           string  `json:"unit"`
	SystemCapacity float64 `json:"system_capacity"`
	System         float64 `json:"system"`
	Main           float64 `json:"main"`
	Descendants    float64 `json:"descendants"`
	Combined       float64 `json:"combined"`
}

// CPUUtilization is the use of CPUs. 100 percent are one CPU.
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

// Percents are the utilization of several CPUs or GPUs: their sum, and that divided by how many are expected to be used.
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

// JSON writes the report as gpu_tracker does.
func (r *Report) JSON(w io.Writer) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Text writes the report in gpu_tracker's layout.
func (r *Report) Text(w io.Writer) error {
	var out page
	out.line(0, "Max RAM:")
	out.line(1, "Unit: %s", r.RAM.Unit)
	out.number(1, "System capacity", r.RAM.SystemCapacity)
	out.number(1, "System", r.RAM.System)
	out.rss("Main", r.RAM.Main)
	out.rss("Descendants", r.RAM.Descendants)
	out.rss("Combined", r.RAM.Combined)
	out.line(0, "Max GPU RAM:")
	out.line(1, "Unit: %s", r.GPURAM.Unit)
	out.number(1, "System capacity", r.GPURAM.SystemCapacity)
	out.number(1, "System", r.GPURAM.System)
	out.number(1, "Main", r.GPURAM.Main)
	out.number(1, "Descendants", r.GPURAM.Descendants)
	out.number(1, "Combined", r.GPURAM.Combined)
	out.line(0, "CPU utilization:")
	out.line(1, "System core count: %d", r.CPU.SystemCores)
	out.line(1, "Number of expected cores: %d", r.CPU.ExpectedCores)
	out.percents("System", r.CPU.System)
	out.percents("Main", r.CPU.Main)
	out.percents("Descendants", r.CPU.Descendants)
	out.percents("Combined", r.CPU.Combined)
	out.line(1, "Main number of threads: %d", r.CPU.MainThreads)
	out.line(1, "Descendants number of threads: %d", r.CPU.DescendantsThreads)
	out.line(1, "Combined number of threads: %d", r.CPU.CombinedThreads)
	out.line(0, "GPU utilization:")
	out.line(1, "System GPU count: %d", r.GPU.SystemGPUs)
	out.line(1, "Number of expected GPUs: %d", r.GPU.ExpectedGPUs)
	out.percents("GPU percentages", r.GPU.Percentages)
	out.line(0, "Compute time:")
	out.line(1, "Unit: %s", r.Time.Unit)
	out.number(1, "Time", r.Time.Time)
	_, err := w.Write(out.Bytes())
	return err
}

// page is the text of a report.
type page struct{ bytes.Buffer }

// indent is that of one level.
const indent = "   "

func (p *page) line(level int, format string, args ...any) {
	p.WriteString(strings.Repeat(indent, level))
	fmt.Fprintf(p, format+"\n", args...)
}

// number writes a value with at most three decimals and at least one, as Python does.
func (p *page) number(level int, name string, x float64) {
	text := strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	p.line(level, "%s: %s", name, text)
}

func (p *page) rss(name string, r RSS) {
	p.line(1, "%s:", name)
	p.number(2, "Total RSS", r.Total)
	p.number(2, "Private RSS", r.Private)
	p.number(2, "Shared RSS", r.Shared)
}

func (p *page) percents(name string, u Percents) {
	p.line(1, "%s:", name)
	p.number(2, "Max sum percent", u.MaxSum)
	p.number(2, "Max hardware percent", u.MaxHardware)
	p.number(2, "Mean sum percent", u.MeanSum)
	p.number(2, "Mean hardware percent", u.MeanHardware)
}
