package ui

import (
	"context"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/tape"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Controls takes the user's requests. Only Ask and Cancel may block.
type Controls interface {
	Touch()   // the user pressed a key
	Leave()   // nobody sees the screen, until the next Touch
	Refresh() // query SLURM and retry failed nodes now
	// the node on the screen, "" for none, cluster.EveryNode for all, and whether its processes are shown
	Look(node string, processes bool)

	// Ask sends a request to the probe of a node and waits for the reply.
	Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error)

	// Cancel has SLURM end a job, or send it a signal, and waits until SLURM has taken the order. signal is a name such
	// as "USR1"; "" ends the job.
	Cancel(ctx context.Context, job, signal string) error
}

// Tape is a recording that the screens show instead of the present. Its methods do not block.
type Tape interface {
	Turn(o tape.Order) (notice string) // a key; notice is for the footer: what cannot be done
	Position() tape.Position
}

// Recorder records the Events of the cluster while the screens are shown.
type Recorder interface {
	Switch() (said string) // begins a recording, or ends the one that runs; said is for the footer. It may block
	Status() string        // of the recording that runs; "": none does
}

// Options configure the screen. Snapshot, Now, Controls and Display are required.
type Options struct {
	Snapshot func(now time.Time) *cluster.Snapshot // called at each display tick
	Now      func() time.Time
	Controls Controls

	// Watch calls tell when the terminal, which was attached, has been detached or attached, until ctx ends. nil: it
	// stays attached.
	Watch func(ctx context.Context, tell func(attached bool))

	Display time.Duration
	Tape    Tape     // nil: no recording is shown
	Record  Recorder // nil: nothing can be recorded

	Theme                string               // one of draw.Themes; "": draw.Auto
	ASCII                bool                 // ASCII glyphs only
	Profile              colorprofile.Profile // colors of the terminal; Unknown: find out
	Colors               string               // "classic" colors the utilization; otherwise color means trouble
	Levels, MemoryLevels part.Levels          // thresholds of the classic colors; without one the memory has no levels
	Columns              columns.Chosen       // of the tables; empty: the usual ones
	// the page to start with; "auto" or "": the overview for a job of several nodes, else the node view
	View string
	// GPUs above the processes on their page: "auto" or "" (where there is room), "full" or "compact" (never)
	Monitor string
	// a line for the user: in place of the footer until a key is pressed, and in the help
	Banner string
	Login  string // as part.Scene has it
	// why nothing may be signaled or canceled, as part.Scene has it; "": it may
	ReadOnly string
	Version  string
	// the GPUs in the views of the nodes
	Only tally.Only
	// of rows.Processes: the processes in the views of nodes, and in other lists to begin with
	Processes *filter.Expr
	// writes these settings to the user's file; on a goroutine of its own; may be nil
	Save func(c settings.Choices, keys []string) (path string, err error)
	// the user changed a choice: RememberColors, RememberView; may be nil
	Remember func(what, value string)
}

// The values of Options.Colors.
const (
	ColorsJob     = "job"
	ColorsClassic = "classic"
)

// The values of Options.View.
const (
	ViewAuto     = "auto"
	ViewNode     = "node"
	ViewOverview = "overview"
)

// The choices that Options.Remember saves.
const (
	RememberColors = "colors"
	RememberView   = "view"
)
