package ui

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/gpu"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/process"
)

// Page fills the terminal, including the header and the footer with its hints.
//
// The page is the first to get each message from the keyboard and the mouse. The model ignores a message that the page
// takes, so a page can have the focus. A prompt, a pane with keys of its own, or a dialog over the page is part of the
// page's state: while it is open, Press takes every key except Ctrl-C, Draw draws it, and the footer has its hints. The
// cursor is the selected node: an Answer names the new one.
type Page interface {
	// Draw draws the scene, and changes nothing but the canvas.
	Draw(f *part.Frame)
	// Press answers a key, the mouse, a pasted text, or the nav.Result of an Ask.
	Press(msg tea.Msg, s *part.Scene) nav.Answer
	// Wants returns what the page wants for the scene, before the scene's Order and node are settled.
	Wants(s *part.Scene) nav.Wants
}

// Optional methods of a page.
type (
	// host is told that the user arrives, and the destination. It answers with the position of its cursor.
	host interface {
		Arrive(s *part.Scene, to nav.Go) nav.Answer
	}
	// settler prepares the page for each scene before it is drawn.
	settler interface{ Settle(s *part.Scene) }
	// leaver is told that the user has gone back to another page.
	leaver interface{ Leave() }
	// forgetter is told that there is no job any more.
	forgetter interface{ Forget() }
	// subjectNamer names the thing under the cursor, which the page's keys act on; "": none.
	subjectNamer interface{ Subject(s *part.Scene) string }
	// covered may have another page on top, which has the keyboard.
	covered interface{ OnTop() keys.Page }
	// uncoverer closes the dialog or pane over it.
	uncoverer interface{ Uncover() }
)

// pageEntry describes a page to the screen.
type pageEntry struct {
	id     keys.Page
	has    keys.Has
	nvitop keys.Has    // replaces has with nvitop's keys; 0: the same
	number key.Binding // leads to the page from every page; none: no digit does
	key    key.Binding // leads to the page, and back; none: no key does
	help   keys.Row    // the help of that key
	new    func(v *view, o *Options) Page
}

// pages has a row for each page. Within a slot, the help lists the rows in this order.
var pages = []pageEntry{
	{
		id: keys.OnProblems, number: keys.ToProblems, has: keys.HasJob | keys.HasNode | keys.IsList, key: keys.Problems,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Same: &keys.ToProblems, Text: "all problems",
			Long: "all problems of the job, worst first",
			On:   keys.Main.Without(keys.IsEmpty)},
		new: func(v *view, _ *Options) Page { return lists.NewProblems(v.past) },
	},
	{
		id: keys.OnRanks, number: keys.ToRanks, has: keys.HasJob | keys.HasNode | keys.IsList, key: keys.Ranks,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Same: &keys.ToRanks, Text: "ranks of the job",
			Long: "ranks of the job: the processes of all its nodes in one list",
			On:   keys.With(keys.HasJob).Without(keys.LikeNvitop)},
		new: func(v *view, o *Options) Page {
			p := lists.NewRanks(v.past)
			p.Match(o.Processes)
			return p
		},
	},
	{
		id: keys.OnJobs, number: keys.ToJobs, has: keys.HasJob | keys.IsList | keys.IsAside,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Text: "all jobs",
			Long: "all jobs: running, pending, and just ended",
			On:   keys.Main},
		new: func(v *view, _ *Options) Page { return lists.NewJobs(v.past) },
	},
	{
		id: keys.OnUsers, number: keys.ToUsers, has: keys.IsList | keys.IsAside, key: keys.Users,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Same: &keys.ToUsers, Text: "users",
			Long: "users: who is using your nodes' GPUs",
			On:   keys.Main},
		new: func(v *view, _ *Options) Page { return lists.NewUsers(v.past) },
	},
	{
		id: keys.OnCluster, has: keys.IsList | keys.IsAside, key: keys.Cluster,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Text: "cluster: free GPUs",
			Long: "cluster: GPUs that SLURM can still give to jobs, partitions, nodes, your pending jobs",
			Also: "free, available, available gpus, sinfo, capacity, partition, where can i run, room, allocate",
			On:   keys.Ordinary.Except(keys.OnStacks, keys.OnReport)},
		new: func(v *view, o *Options) Page { return capacity.New(v.past, o.Everyone) },
	},
	{
		id: keys.OnOverview, number: keys.ToOverview, key: keys.Overview,
		has: keys.HasJob | keys.HasNode | keys.HasGPUs | keys.HasCursor | keys.HasFilter | keys.IsLevel,
		help: keys.Row{Slot: keys.Lists, Group: keys.Looking, Text: "overview / node view",
			Long: "overview of all nodes / node view; remembered",
			On:   keys.Main.Without(keys.IsEmpty | keys.LikeNvitop)},
		new: func(v *view, _ *Options) Page { return overview.New(v.past) },
	},
	{
		id: keys.OnGPU, number: keys.ToGPU, has: keys.HasJob | keys.HasNode | keys.HasGPUs, key: keys.GPU,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Means: "into", Text: "open a GPU",
			Long: "open a GPU (the first with a problem)",
			On:   keys.On(keys.OnNode)},
		new: func(*view, *Options) Page { return &gpu.Page{} },
	},
	{
		id: keys.OnNode, number: keys.ToNode,
		has: keys.HasJob | keys.HasNode | keys.HasGPUs | keys.HasFilter | keys.IsLevel,
		key: keys.Processes,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Text: "processes of the node",
			Long: "show or hide the node's processes",
			On:   keys.With(keys.HasJob).Without(keys.LikeNvitop)},
		new: func(v *view, _ *Options) Page { return node.New(v.past) },
	},
	{
		id: keys.OnProcesses, number: keys.ToProcesses, has: keys.HasJob | keys.HasNode | keys.IsList,
		nvitop: keys.HasJob | keys.LikeNvitop,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Same: &keys.ToProcesses, Text: "process manager",
			Long: "process manager: the processes of the GPU, the node or the job", On: keys.With(keys.HasJob)},
		new: func(v *view, o *Options) Page {
			p := process.New(v.past)
			p.Match(o.Processes)
			p.Monitor(o.Monitor)
			p.Nvitop = o.Keys == KeysNvitop
			return p
		},
	},
	{
		id: keys.OnConnection, number: keys.ToConnection, has: keys.HasJob | keys.HasNode, key: keys.Connection,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Same: &keys.ToConnection, Text: "connection details",
			Long: "connection details, stage by stage",
			On:   keys.With(keys.HasJob).Without(keys.LikeNvitop)},
		new: func(*view, *Options) Page { return &node.ConnectionPage{} },
	},
	{
		id: keys.OnLog, has: keys.HasJob | keys.OutlivesJob, key: keys.Log,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Text: "log of the job",
			Long:    "log of the job, followed; from a problem: at its time; from the jobs: of ended ones, too",
			Also:    "logs, output, tail, log file, traceback, loss in the log, exception, print, steps in the log",
			Subject: keys.OfLog, Needs: keys.NeedsJob, On: keys.Ordinary.Without(keys.IsEmpty)},
		new: func(v *view, _ *Options) Page { return v.log },
	},
	{
		id: keys.OnReport, has: keys.OutlivesJob,
		new: func(v *view, _ *Options) Page { return v.report },
	},
	{
		id: keys.OnWaiting, has: keys.IsAside | keys.OutlivesJob,
		new: func(*view, *Options) Page { return &lists.Waiting{} },
	},
	{
		id: keys.OnStacks, has: keys.HasJob | keys.HasCursor, key: keys.Stacks,
		help: keys.Row{Slot: keys.Details, Group: keys.Looking, Text: "stacks: what ranks do",
			Long: "stacks: what every rank of the job does, in groups; why a job hangs",
			Also: "hang, hangs, hung, stuck, deadlock, freeze, frozen, blocked, no progress, py-spy, pystack, gdb, " +
				"stack trace, backtrace, nccl, collective, allreduce", Subject: keys.OfJob,
			Needs: keys.NeedsJob, On: keys.Ordinary.Without(keys.IsEmpty)},
		new: func(v *view, _ *Options) Page { return v.stacks },
	},
	{
		id: keys.OnSettings, number: keys.ToSettings, has: keys.HasCursor | keys.IsAside | keys.IsForm,
		key: keys.Settings,
		help: keys.Row{Slot: keys.Choices, Group: keys.Looking, Same: &keys.ToSettings, Text: "settings",
			Long: "settings: theme, colors, thresholds, columns",
			On:   keys.Without(keys.OfOneProcess)},
		new: func(v *view, _ *Options) Page { return &v.settings },
	},
	{
		id: keys.OnNoJobs, has: keys.IsEmpty,
		new: func(*view, *Options) Page { return &capacity.NoJobsPage{} },
	},
	{id: keys.OnDetails, has: keys.OfOneProcess, nvitop: keys.OfOneProcess | keys.LikeNvitop},
	{id: keys.OnEnviron, has: keys.OfOneProcess,
		nvitop: keys.OfOneProcess | keys.LikeNvitop}, // on top of the page of processes, which makes both
	{id: keys.OnMetrics, has: keys.OfOneProcess, nvitop: keys.OfOneProcess | keys.LikeNvitop},
}

// pageWord is the name of the page in a footer: that of its key.
func (e *pageEntry) pageWord() string {
	return cmp.Or(e.number.Help().Desc, e.key.Help().Desc, string(e.id))
}

func entryOf(id keys.Page) *pageEntry {
	return &pages[slices.IndexFunc(pages, func(e pageEntry) bool { return e.id == id })]
}

// keyRows is the list of keys.
var keyRows = func() []keys.Row {
	var to []keys.Row
	for _, e := range pages {
		if e.key.Enabled() {
			e.help.Bindings = []key.Binding{e.key}
			to = append(to, e.help)
		}
	}
	return keys.Rows(to)
}()

// keymap has the actions of the keys on each page.
type keymap struct {
	nvitop bool // the page of processes has the keys of nvitop
}

// hasOf returns the properties of a page with the user's keys.
func (m keymap) hasOf(id keys.Page) keys.Has {
	if e := entryOf(id); m.nvitop && e.nvitop != 0 {
		return e.nvitop
	}
	return entryOf(id).has
}

// helpOf returns the rows of a page's help.
func (m keymap) helpOf(id keys.Page) []keys.Row { return keys.HelpOf(keyRows, id, m.hasOf(id)) }

// actionsOf returns the actions of a page, group by group.
func (m keymap) actionsOf(id keys.Page) []keys.Action { return keys.Actions(m.helpOf(id)) }

// ledTo returns the page to which a key leads from another page; nil: none.
func (m keymap) ledTo(k tea.KeyPressMsg, from keys.Page) *pageEntry {
	has := m.hasOf(from)
	for i := range pages {
		if e := &pages[i]; key.Matches(k, e.key) && e.help.On.Is(from, has) {
			return e
		}
	}
	return nil
}

// pageOfDigit returns the page to which a digit leads from all pages; nil: the message is not such a digit.
func pageOfDigit(msg tea.Msg) *pageEntry {
	for i := range pages {
		if e := &pages[i]; keys.AsksFor(msg, e.number) {
			return e
		}
	}
	return nil
}
