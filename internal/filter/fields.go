package filter

import (
	"slices"
	"strings"
)

// Key is a field that rows may have.
type Key uint8

// The fields.
const (
	Node Key = iota
	Job
	Name
	User
	Partition
	Switch
	State
	Rank
	PID
	Kind // of a process: C, G, M
	Command
	GPU
	UUID
	Bus
	Model
	Driver
	Device
	PState
	NUMA
	Util
	Lowest
	UtilMean
	Temperature
	Power
	PowerSum
	MemoryUsed
	MemorySum
	MemoryTotal
	MemoryPercent
	MemoryMean
	Memory
	SM
	MemRW
	CPU
	RSS
	Time
	Problem
	Letter
	Severity
	Nodes
	GPUs
	keys // how many there are
)

// Type is what the values of a field are, and in which unit a number is.
type Type uint8

// The types.
const (
	Text    Type = iota
	Count        // a whole number
	Percent      // 100 is all
	Bytes
	Watts
	Celsius
	Seconds
)

// Field is the name and type of a field.
type Field struct {
	Key     Key
	Name    string
	Also    []string // other names
	Type    Type
	Example string // a value
	Help    string
}

// table is all fields. The names of GPUs' metrics are those of all-smi.
var table = [keys]Field{
	Node:      {Name: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node"},
	Job:       {Name: "job", Example: "48211", Help: "job ID"},
	Name:      {Name: "name", Example: "train", Help: "name of the job"},
	User:      {Name: "user", Example: "alice", Help: "user name"},
	Partition: {Name: "partition", Example: "gpu", Help: "SLURM partition"},
	Switch:    {Name: "switch", Example: "leaf01", Help: "leaf switch or block of SLURM's topology"},
	State:     {Name: "state", Example: "reporting", Help: "state of the node, the process or the job"},
	Rank:      {Name: "rank", Type: Count, Example: "13", Help: "rank of the process"},
	PID:       {Name: "pid", Type: Count, Example: "358811", Help: "process ID"},
	Kind:      {Name: "type", Example: "C", Help: "C compute, G graphics, M MPS client"},
	Command:   {Name: "cmd", Also: []string{"command"}, Example: "train.py", Help: "command line"},
	GPU:       {Name: "gpu", Also: []string{"index"}, Type: Count, Example: "3", Help: "number of the GPU"},
	UUID:      {Name: "uuid", Example: "GPU-1c2d", Help: "UUID of the GPU"},
	Bus:       {Name: "bus", Example: "00000000:1B:00.0", Help: "PCI bus ID of the GPU"},
	Model:     {Name: "gpu_name", Example: "H100", Help: "model of the GPU"},
	Driver:    {Name: "driver", Example: "550.54.15", Help: "version of the driver"},
	Device:    {Name: "device_type", Example: "GPU", Help: "GPU, or MIG for an instance of one"},
	PState:    {Name: "pstate", Type: Count, Example: "0", Help: "performance state of the GPU, 0 is the fastest"},
	NUMA:      {Name: "numa", Type: Count, Example: "1", Help: "NUMA node of the GPU"},
	Util: {Name: "util", Type: Percent, Example: "50",
		Help: "utilization; of a node or a job that of one GPU is enough"},
	Lowest:      {Name: "util_low", Type: Percent, Example: "50", Help: "utilization of the lowest GPU"},
	UtilMean:    {Name: "util_avg", Type: Percent, Example: "50", Help: "mean utilization of the GPUs"},
	Temperature: {Name: "temp", Type: Celsius, Example: "80", Help: "temperature of a GPU"},
	Power:       {Name: "power", Type: Watts, Example: "300W", Help: "power draw of a GPU"},
	PowerSum:    {Name: "power_sum", Type: Watts, Example: "2kW", Help: "power draw of the GPUs together"},
	MemoryUsed:  {Name: "mem_used", Type: Bytes, Example: "10GiB", Help: "GPU memory in use, by all processes"},
	MemorySum: {Name: "mem_used_sum", Type: Bytes, Example: "300GiB",
		Help: "GPU memory in use on the GPUs together"},
	MemoryTotal:   {Name: "mem_total", Type: Bytes, Example: "80GiB", Help: "GPU memory"},
	MemoryPercent: {Name: "mem_pct", Type: Percent, Example: "90", Help: "share of the GPU memory in use"},
	MemoryMean: {Name: "mem_pct_avg", Type: Percent, Example: "90",
		Help: "share of the memory of all the GPUs in use"},
	Memory: {Name: "mem", Type: Bytes, Example: "10GiB", Help: "GPU memory of the process"},
	SM:     {Name: "sm", Type: Percent, Example: "50", Help: "share of the SMs' time"},
	MemRW: {Name: "mem_rw", Also: []string{"mbw"}, Type: Percent, Example: "50",
		Help: "share of the time that it reads or writes GPU memory"},
	CPU:      {Name: "cpu", Type: Percent, Example: "100", Help: "CPU; 100 is one core"},
	RSS:      {Name: "rss", Type: Bytes, Example: "4GiB", Help: "host memory of the process"},
	Time:     {Name: "time", Type: Seconds, Example: "2h", Help: "how long it has run"},
	Problem:  {Name: "problem", Example: "lag", Help: "kind of a problem, or its name"},
	Letter:   {Name: "letter", Example: "T", Help: "letter of a problem: X E T P N L I"},
	Severity: {Name: "severity", Example: "critical", Help: "critical, warning, waiting, note"},
	Nodes:    {Name: "nodes", Type: Count, Example: "4", Help: "how many nodes"},
	GPUs:     {Name: "gpus", Type: Count, Example: "32", Help: "how many GPUs"},
}

// Fields are the fields of a kind of row, in the order in which they are named.
type Fields []Field

// Of are the fields with these keys.
func Of(keys ...Key) Fields {
	fields := make(Fields, len(keys))
	for i, key := range keys {
		fields[i] = table[key]
		fields[i].Key = key
	}
	return fields
}

// Names are the names of the fields, without their other names.
func (f Fields) Names() []string {
	var names []string
	for i := range f {
		names = append(names, f[i].Name)
	}
	return names
}

// find returns the field of that name, in upper or lower case, nil if there is none.
func (f Fields) find(name string) *Field {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	for i := range f {
		if is(f[i].Name) || slices.ContainsFunc(f[i].Also, is) {
			return &f[i]
		}
	}
	return nil
}

// Ops are the operators that a field takes.
func (f *Field) Ops() []string {
	if f.Type == Text {
		return []string{"=", "!=", "~"}
	}
	return []string{"<", "<=", ">", ">=", "=", "!="}
}
