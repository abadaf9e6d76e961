package ui

import (
	"context"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Tape is a recording that the screen shows instead of the present. Its methods do not block.
type Tape interface {
	Turn(o lookback.TapeOrder) (notice string) // moves in the recording; notice is for the footer: why it cannot
	Position() lookback.TapePosition
}

// Recorder records the Events of the cluster while the screens are shown.
type Recorder interface {
	Switch() (said string) // begins a recording, or ends the running one; said is for the footer. May block
	Status() string        // state of the running recording; "": none runs
}

// Options configure the screen. Snapshot, Now, Controls and Display are required.
type Options struct {
	Snapshot func(now time.Time) *cluster.Snapshot // called at each display tick
	Now      func() time.Time
	Controls source.Controls

	// Opening says what the screen waits for, in place of the first Snapshots; "": nothing. nil: it waits for nothing
	Opening func() string

	// Watch calls tell when the terminal is detached or attached, until ctx ends. The terminal is attached at first.
	// nil: it stays attached.
	Watch func(ctx context.Context, tell func(attached bool))

	Display time.Duration
	Tape    Tape     // nil: no recording is shown
	Record  Recorder // nil: nothing can be recorded

	// makes the report of a job that has ended, on a goroutine of its own; nil: there are no reports
	Report func(ctx context.Context, job string) (*report.Report, error)

	Tell func(cluster.Event) // gets what pages have learned about a job; may be nil

	Alerts <-chan Alert // nil: there are none

	settings.Choices                      // what the user can also change on the screen
	ASCII            bool                 // ASCII glyphs only
	Profile          colorprofile.Profile // colors of the terminal; Unknown: detect them
	// GPUs above the processes on their page: "auto" or "" (where there is room), "full" or "compact" (never)
	Monitor string
	Keys    string // KeysNvitop: nvitop's keys on the page of processes; otherwise each key has one meaning
	// a line for the user: it replaces the footer until a key is pressed, and is in the palette
	Banner   string
	HelpURL  string // the address of the site's help, in the palette
	Login    string // see part.Scene
	Everyone bool   // the page of the cluster has the jobs of all users, and idle GPUs
	// the reason why signals and cancels are forbidden (part.Scene); "": they are allowed
	ReadOnly string
	Version  string
	// the GPUs in the views of the nodes
	Only tally.Only
	// a filter of rows.Processes for the processes in the views of nodes, and initially in other lists
	Processes *filter.Expr
	// writes these settings to the user's file; on a goroutine of its own; may be nil
	Save    func(c settings.Choices, keys []string) (path string, err error)
	TryNews func(way string) error // sends a test message; on a goroutine of its own; may be nil
	// save what the user has changed; may be nil
	RememberClassic func(classic bool)
	RememberView    func(view string)
}

// The values of Options.View and Keys.
const (
	ViewAuto, ViewNode, ViewOverview = "auto", "node", "overview"
	KeysNvitop                       = "nvitop"
)
