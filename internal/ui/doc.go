// Package ui is the screen of nvnodetop: one Bubble Tea model, the selection, and the keys that lead from page to page.
//
// The caller passes Snapshots in; requests go out through Controls. A message changes the selection or the user's
// choices, and the current page draws the result. The package never blocks and never reads the clock: the caller's Now
// is its only time, so the same Snapshot always gives the same frame. It starts three goroutines: the first writes to
// the terminal, the second waits for signals, the third waits until the terminal is detached.
//
// Jobs and nodes are selected by name, so lists may change at any time. Print writes the pages as text instead.
//
// Only one Run may be active at a time. Everything runs on Bubble Tea's goroutine, except writes, which may block, and
// signals: package terminal handles both.
//
// # Why the screen is as it is
//
//   - A job of several nodes starts in the overview, a job of one node in the node view. --view and the last choice
//     override this.
//   - The heat map uses the largest tiles with which all nodes fit, whatever the width of the terminal.
//   - If tiles with a cell for each GPU do not fit and SLURM has a topology, the nodes under each switch form a strip:
//     with a cell for each GPU, for several GPUs, or for each node. If strips do not fit, there are tiles without
//     switches, and finally pages. Groups with failed nodes come first, then those with warnings, then the others in
//     the order of the job's nodes: a group moves only when that changes. No groups are guessed from the names of
//     nodes.
//   - Where a list is cut, the screen says which key shows the rest: PgDn, or 7 for the problems.
//   - Arrows move the cursor where there is one (overview, problems, ranks). In the node view and the connection
//     details they change job and node, as in the original; [ and ] change the job everywhere. Drawing, keys and mouse
//     use the same geometry (tiles, windows of lists).
//   - The digits lead to the pages, from all pages. From 30 rows on, a bar shows them, and the pages of letters where
//     it is wide enough. It takes a row of the terminal, which the pages do not know about (bar.go). Below 30 rows, the
//     footer begins with the digits.
//   - Esc goes back to the page from which the user came, which the footer names, or without such a page to the
//     overview. The overview and the node view forget the pages below the last one, so Esc ends at the overview.
//   - Processes are shown by default where they fit with one line left for the worst problem of the node.
//   - Graphs and the nodes over time cover the same time span at every width. A column of the nodes over time is a
//     whole number of reports.
//   - A problem that slows the whole job comes first among problems of the same severity. In row 1 it is second, after
//     the worst problem, so that the slow GPU is visible at every width.
//   - Below 60 columns, a problem's sentence stands below its place.
//   - m lists ranks as rows, with their processes, in place of a map of GPUs; M releases the mouse.
//   - The graph of utilization is a band from the lowest GPU to the median; amber marks only where a rule held.
//   - The pages of the jobs and the users exist even without a running job. The job under the cursor is the selected
//     one. J and K change the job in the node view, as j and k do there. Only the key u changes the metric.
//   - A job that waits or has ended shows the reason and the time in place of numbers. In every order, jobs with nodes
//     come first, then waiting jobs, then ended jobs. The waiting tasks of an array are one row, as in squeue; counts
//     include all of them.
//   - The page of a GPU distributes its rows by one list of steps (gpu/layout.go), the most wanted first. The place of
//     a part depends on the height of the terminal and on the features of the GPU, never on values. The missing
//     features of a GPU are shown once, with NVML's reason.
//   - All footers have the same places (footer/footer.go): pages, Enter, /, s, the other view, n, ? and q fit into 80
//     columns. The page of processes has its scope, tree and signals before s. With more room come Esc, ←→ and ( ), and
//     last the keys of pages that the bar names.
//   - The process manager is a page of its own, not a pane of the node view. Each key has one meaning on all pages,
//     except for keys.Exceptions. With keys = "nvitop" the page has nvitop's keys, which mean other things elsewhere. [
//     and ] change the job there, too, although in nvitop they page. Rows of a Snapshot are made and sorted once, when
//     the view settles on it; a frame draws what is on the screen.
//   - Enter on a user opens the processes of that user in the widest scope, which has all processes on the nodes of all
//     jobs: the scope of all jobs has only the jobs' GPUs.
//   - The node view has one filter for its GPUs and its processes: a GPU matches by its own values and by those of the
//     processes on it. The sum still covers the whole node.
//   - Processes on GPUs that --only hides are not listed. A signal to all ranks includes them, and the dialog says so.
//   - From 160 columns on, the row under the cursor is shown in full beside a list (list.Of.Detail), with parts of the
//     page that Enter opens. They come from the Snapshot alone, so moving the cursor costs the nodes nothing. The heat
//     map keeps all columns: it is no list, and its tiles need them.
//   - The screen can look back because it keeps some of its own Snapshots. Keeping Events instead would mean packing
//     them, at a fifth of a millisecond each, whether anybody looks back or not. Histories alone lack processes and
//     states.
//   - A cursor on the first process stays on the first row when the user sorts; a cursor on any other process stays on
//     that process.
//   - ASCII mode writes Up/Dn, since ^v would read as Ctrl-V.
package ui
