package lists

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Users lists the users with processes on the GPUs of the jobs' nodes. The owner of the jobs comes first.
type Users = list.List[rows.UserRow, string]

// NewUsers returns the page in its first state.
func NewUsers(past *footer.History) *Users {
	return list.New(past, list.Of[rows.UserRow, string]{
		Name: func(*part.Scene) string { return "Users" }, Noun: "users",
		Rows: (*part.Scene).Users, Key: func(u *rows.UserRow) string { return u.User },
		Class: func(u *rows.UserRow) int {
			if u.Mine {
				return 0
			}
			return 1
		},
		Reads: list.By(&rows.Users, func(*part.Scene) func(*rows.UserRow) *rows.UserRow {
			return func(u *rows.UserRow) *rows.UserRow { return u }
		}),
		Orders: userOrders, Usual: []string{"gpus", "gpu_memory_bytes", "elapsed_seconds", "user"},
		Open: func(_ *part.Scene, u *rows.UserRow) nav.Answer {
			return nav.To(nav.Go{Page: keys.OnProcesses, Filter: OfUser(u.User)})
		},
		Header: func(f *part.Frame) { header.Title(f); drawSlurmRow(f, coverageText(f)) },
		Table: func(f *part.Frame, _ *list.View[rows.UserRow]) list.Table[rows.UserRow] {
			return table.NewUsers(f)
		},
		None: noUsers, Detail: fullUser,
		Hints: []keys.Hint{keys.HintOf(keys.Open), keys.HintOf(keys.Worst), keys.HintOf(keys.Filter),
			keys.HintOf(keys.Refresh)},
		Wants: nav.Wants{Everywhere: true},
	})
}

var userOrders = []list.Order[rows.UserRow]{
	{Column: "user", Words: "name"}, {Column: "nodes"}, {Column: "gpus"}, {Column: "processes"},
	{Column: "gpu_memory_bytes", Words: "memory"}, {Column: "power_sum_watts"}, {Column: "elapsed_seconds"},
	{Column: "command"},
}

// OfUser is the filter for the processes of a user; "": the processes whose user is unknown.
func OfUser(user string) string {
	switch {
	case user == "":
		return "not user~."
	case strings.Contains(user, `"`) && strings.Contains(user, "'"):
		return `user~"^` + strings.ReplaceAll(regexp.QuoteMeta(user), `"`, `\x22`) + `$"`
	case strings.Contains(user, `"`):
		return "user=='" + user + "'"
	}
	return `user=="` + user + `"`
}

// coverageText says how many users and nodes the list covers.
func coverageText(f *part.Frame) string {
	listed, waits := countListedNodes(f.Snap)
	text := part.Plural(len(f.Users()), "user", "users") + " on the GPUs of " + part.Plural(listed, "node", "nodes")
	if waits > 0 {
		text += ", waiting for " + part.Plural(waits, "node", "nodes")
	}
	return text
}

// noUsers explains why no users are listed.
func noUsers(f *part.Frame) string {
	switch listed, waits := countListedNodes(f.Snap); {
	case waits > 0 && listed > 0:
		return "no processes on " + part.Plural(listed, "node", "nodes") + ", waiting for " + strconv.Itoa(waits)
	case waits > 0:
		return "· waiting for the process lists of the nodes"
	case len(f.Only) > 0:
		return "no processes on the GPUs of --only: " + strings.Join(f.Only, ", ")
	}
	return "no processes on the GPUs of your nodes"
}

// countListedNodes counts the nodes that have listed their processes, and the others.
func countListedNodes(s *cluster.Snapshot) (n, waits int) {
	for _, node := range s.Nodes {
		if node.Listed {
			n++
		} else {
			waits++
		}
	}
	return n, waits
}
