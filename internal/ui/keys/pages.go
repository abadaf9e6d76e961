package keys

import (
	"slices"

	"charm.land/bubbles/v2/key"
)

// Page is the name of a page, which the palette uses too.
type Page string

// The pages that others lead to, or that have keys of their own.
const (
	OnNode       Page = "node view"
	OnOverview   Page = "overview"
	OnGPU        Page = "GPU"
	OnConnection Page = "connection details"
	OnProblems   Page = "problems"
	OnRanks      Page = "ranks"
	OnProcesses  Page = "processes"
	OnEnviron    Page = "environment"
	OnDetails    Page = "process details"
	OnMetrics    Page = "process metrics"
	OnJobs       Page = "jobs"
	OnUsers      Page = "users"
	OnLog        Page = "log"
	OnReport     Page = "report"
	OnWaiting    Page = "waiting job"
	OnStacks     Page = "stacks"
	OnCluster    Page = "cluster"
	OnSettings   Page = "settings"
	OnNoJobs     Page = "no running jobs"
)

// The digits that lead to the pages, from all pages. The bar of pages has them in this order.
var (
	ToJobs       = newBinding("1", "jobs", "1")
	ToOverview   = newBinding("2", "overview", "2")
	ToNode       = newBinding("3", "node", "3")
	ToGPU        = newBinding("4", "GPU", "4")
	ToProcesses  = newBinding("5", "processes", "5")
	ToRanks      = newBinding("6", "ranks", "6")
	ToProblems   = newBinding("7", "problems", "7")
	ToUsers      = newBinding("8", "users", "8")
	ToConnection = newBinding("9", "connection", "9")
	ToSettings   = newBinding("0", "settings", "0")
)

// Numbers are the digits of the pages.
var Numbers = []key.Binding{ToJobs, ToOverview, ToNode, ToGPU, ToProcesses, ToRanks, ToProblems, ToUsers, ToConnection,
	ToSettings}

// Letters are the letters of the pages without a digit, which the bar of pages has after the digits.
var Letters = []key.Binding{Stacks, Cluster, Log}

// Unused is a key without a meaning on any page. So only a prompt or a dialog that has the keyboard takes it.
var Unused = newBinding("", "", "f63")

// Pages is the hint of the digits, for terminals without the bar.
var Pages = Hint{"1-9", "pages"}

// pageTexts are the actions of the digits.
var pageTexts = []string{"all jobs", "overview of the job", "node view", "GPU in full", "process manager",
	"ranks of the job",
	"problems of the job", "users: who is using your nodes' GPUs", "connection, stage by stage", "settings"}

// pageAlso are their other names.
var pageAlso = []string{
	"queue, squeue, jobs, my jobs, job list, pending, waiting jobs, why is it pending, when does my job start, " +
		"start time, eta, time left, remaining time, walltime, failed jobs, ended jobs",
	"nodes, all nodes, summary, all gpus", "node, host, one node",
	"gpu, fan, ecc, clocks, pcie, driver, serial number, mig, throttle reasons, card",
	"top, htop, nvitop, nvidia-smi, ps, processes, task manager", "rank, workers, mpi, world size, processes by rank",
	"why, slow, why slow, straggler, slowest gpu, lag, bottleneck, data loader, idle, idle gpus, throttle, " +
		"throttling, thermal, xid, nvlink, warnings, errors, health, alarms, what is wrong, broken, memory errors, " +
		"diagnose",
	"who, neighbors, other users, shared nodes",
	"unreachable, node down, offline, lost node, login refused, ssh failed, network, latency, doctor, probe",
	"preferences, options, configuration, config, customize",
}

// numberRows is the row of all digits.
var numberRows = []Row{{
	Bindings: Numbers, Keys: "1…9 0", Group: Looking, Each: pageTexts, EachAlso: pageAlso, Text: "a page, by its number",
	Long: "jobs, overview, node, GPU, processes, ranks, problems, users, connection; 0: settings",
}}

// Has is a set of properties of a page. They determine its keys.
type Has uint16

// The properties of pages.
const (
	HasJob    Has = 1 << iota // it is about the selected job, or selects one
	HasNode                   // it is about the selected node, and has keys that change it
	HasGPUs                   // GPUs, including those of other jobs
	HasCursor                 // rows with a cursor
	HasFilter                 // rows with a filter
	HasOrders                 // rows that can be sorted by any column

	IsLevel      // a level of its own: Esc leads from it to the level above
	IsAside      // it is about no single job, and exists without one
	IsForm       // it changes settings
	IsEmpty      // shown only without a job, in place of other pages
	LikeNvitop   // its keys are those of nvitop
	OfOneProcess // it covers the page of processes
	OutlivesJob  // it may be about a job that does not run
)

// IsList is a page that consists of one list.
const IsList = HasCursor | HasFilter | HasOrders

// PageSelection selects the pages that have a key.
type PageSelection struct {
	has, not Has
	also     []Page
	only     bool // only those in also
	never    []Page
}

// With selects all pages that have these properties.
func With(has Has) PageSelection { return PageSelection{has: has} }

// Without selects all pages that have none of these properties.
func Without(not Has) PageSelection { return PageSelection{not: not} }

// On selects exactly these pages.
func On(pages ...Page) PageSelection { return PageSelection{also: pages, only: true} }

// With leaves out pages that lack one of these properties.
func (w PageSelection) With(has Has) PageSelection {
	w.has |= has
	return w
}

// Without leaves out pages with one of these properties.
func (w PageSelection) Without(not Has) PageSelection {
	w.not |= not
	return w
}

// And adds pages, whatever their properties.
func (w PageSelection) And(pages ...Page) PageSelection {
	w.also = pages
	return w
}

// Except leaves out pages.
func (w PageSelection) Except(pages ...Page) PageSelection {
	w.never = pages
	return w
}

// Main are all pages except the settings and pages that cover others; Ordinary are the pages with the usual keys.
var (
	Main     = Without(OfOneProcess | IsForm)
	Ordinary = Without(OfOneProcess | LikeNvitop)
)

// Is reports whether a page has the key.
func (w PageSelection) Is(page Page, has Has) bool {
	fits := has&w.has == w.has && has&w.not == 0
	switch there := slices.Contains(w.also, page); {
	case slices.Contains(w.never, page):
		return false
	case w.only:
		return there && fits
	default:
		return there || fits
	}
}
