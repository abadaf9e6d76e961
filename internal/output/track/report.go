package track

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The types of a report.
type (
	Report         = report.Command
	RAM            = report.RAM
	RSS            = report.RSS
	GPURAM         = report.GPURAM
	CPUUtilization = report.CPUUtilization
	Percents       = report.Percents
	GPUUtilization = report.GPUUtilization
	ComputeTime    = report.ComputeTime
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// version is that of the document.
const version = report.CommandVersion

// JSON writes the report as gpu_tracker does.
func JSON(w io.Writer, r *Report) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Text writes the report in gpu_tracker's layout.
func Text(w io.Writer, r *Report) error {
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
	out.tags(r)
	_, err := w.Write(out.Bytes())
	return err
}

// page is the text of a report.
type page struct{ bytes.Buffer }

// indent is the indentation of one level.
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
