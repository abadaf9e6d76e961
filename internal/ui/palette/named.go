package palette

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// gaugeAlso are the other names of the metrics of the cells.
var gaugeAlso = [tally.Gauges]string{
	tally.GaugeUtil:        "utilization, util, usage, gpu utilization, busy",
	tally.GaugePower:       "power, watts, power draw",
	tally.GaugeClock:       "clock, sm clock, mhz, frequency",
	tally.GaugeMemory:      "memory, vram, gpu memory, framebuffer",
	tally.GaugeTemperature: "temperature, temp, hot, heat, celsius",
}

// gauges are the metrics of the overview's cells.
func gauges() (list []Item) {
	for g := range tally.Gauges {
		name := part.GaugeName(g)
		list = append(list, Item{Text: "cells: " + name, Also: gaugeAlso[g],
			Note: "metric of the overview's cells", Go: nav.Go{Page: keys.OnOverview, Choice: name}})
	}
	return list
}

// orderAlso are the other names of the orders of the processes, by the letter of their column.
var orderAlso = map[rune]string{
	'g': "sort by memory, sort by gpu memory, memory, vram, biggest, memory hog",
	'c': "sort by cpu, cpu, cpu usage", 's': "sort by utilization, sort by sm",
	'm': "sort by host memory, host memory, ram", 't': "sort by time, oldest, newest", 'u': "sort by user",
	'p': "sort by pid", 'r': "sort by rank", 'n': "sort by gpu", 'b': "sort by memory bandwidth",
}

// orders are the orders of the page of processes, and the order of ranks that says which one runs out of memory.
func orders() (list []Item) {
	for i := range rows.Processes.Fields {
		if f := &rows.Processes.Fields[i]; f.Letter != 0 {
			list = append(list, Item{Text: "sort by " + f.Title, Also: orderAlso[f.Letter],
				Note: "on the page " + keys.PageName(keys.ToProcesses), Go: nav.Go{Page: keys.OnProcesses},
				Do: keys.Pressed(keys.SortBy.Keys()[0]), Then: keys.Pressed(string(f.Letter))})
		}
	}
	return append(list, Item{Text: "sort ranks by memory: which one runs out",
		Also: "oom, out of memory, cuda out of memory, runs out of memory, run out of memory, memory leak, " +
			"memory forecast, which rank runs out of memory, memory of ranks",
		Note: "on the page " + keys.PageName(keys.ToRanks), Go: nav.Go{Page: keys.OnRanks, Choice: rows.RankOrders[0].Key}})
}

// stepItems lead to what the log of the job says of its steps.
func stepItems(s *part.Scene) []Item {
	it := Item{Text: "progress of the job: its steps and loss", Note: "on the page " + keys.PageName(keys.ToNode),
		Also: "loss, step, steps, progress, slower, faster, pace, seconds per step, s/step, time per step, " +
			"iteration, it/s, epoch, throughput, training curve, loss curve",
		Go: nav.Go{Page: keys.OnNode, Choice: node.Steps}}
	if !graph.HasSteps(s) {
		it.Not = "the log of this job has told no steps yet"
	}
	return []Item{it}
}

// gpusOf are the GPUs of the selected node.
func gpusOf(s *part.Scene) (list []Item) {
	if s.Node == nil {
		return nil
	}
	for i := range s.Node.GPUs {
		g := &s.Node.GPUs[i]
		number := strconv.Itoa(g.Index)
		list = append(list, Item{Text: "GPU" + number + " of " + s.Node.Name,
			Also: "gpu" + number + ", gpu " + number + ", " + g.Card.UUID,
			Go:   nav.Go{Page: keys.OnGPU, Node: s.Node.Name, GPU: g.Key}})
	}
	return list
}

// settingItems are the settings, the themes and the ways of news.
func settingItems(s *part.Scene) (list []Item) {
	choose := func(text, also, choice string) {
		list = append(list, Item{Text: text, Also: also, Go: nav.Go{Page: keys.OnSettings, Choice: choice}})
	}
	for _, name := range draw.Themes {
		choose("theme "+name, name+" mode, "+name+" theme", "theme "+name)
	}
	choose("setting: notifications about your jobs", "notify, alert, news, email, mail, e-mail, slack, webhook, "+
		"telegram, bell, tell me when it ends, tell me when it fails", settings.NewsTitle)
	for _, way := range s.Ways {
		choose("notification: "+settings.TryNews+way, "", settings.TryNews+way)
	}
	for _, title := range settings.Titles() {
		choose("setting: "+strings.ToLower(title), "", title)
	}
	for _, title := range settings.ColumnTitles() {
		choose("setting: "+strings.ToLower(title), "columns, show columns, hide columns", title)
	}
	return list
}

// command is a command line that does what no page does.
type command struct{ line, also, note string }

// commandLines are the command lines that can be copied. JOB stands for the ID of the selected job.
var commandLines = []command{
	{"nvnodetop report JOB", "report, efficiency, seff, energy, kwh, cost, price, sacct, statistics, yesterday, " +
		"compare runs", "what the job used, and what it cost"},
	{"nvnodetop snapshot --format csv", "csv, export, spreadsheet, excel, dump", "the values of each GPU, as CSV"},
	{"nvnodetop --json", "json, jq, script, api", "all that is known, as JSON"},
	{"nvnodetop serve", "prometheus, browser, web, web page, grafana, http, metrics server, dashboard",
		"a web page, and metrics for Prometheus"},
	{"nvnodetop scalars --tensorboard runs", "tensorboard, wandb, scalars",
		"curves of the GPUs beside those of the training"},
	{"nvnodetop replay FILE", "replay, play a recording, open a recording", "shows a recording"},
	{"nvnodetop watch JOB", "watch, wait for the job, wait until it ends",
		"tells what happens to the job, without a screen"},
	{"nvnodetop 5 1", "refresh rate, interval, poll, poll interval, every second, draw faster, draw slower, " +
		"update rate",
		"asks the nodes every 5 s, and draws every second"},
	{"scontrol requeue JOB", "requeue, restart the job", "SLURM's command: runs the job again"},
	{"scontrol hold JOB", "hold", "SLURM's command: keeps a waiting job from starting"},
}

// commands are the items of the command lines.
func commands(s *part.Scene) (list []Item) {
	for _, c := range commandLines {
		line := c.line
		if s.Job != nil {
			line = strings.ReplaceAll(line, "JOB", s.Job.ID)
		}
		list = append(list, Item{Text: line, Also: c.also, Note: "copies this command: " + c.note, Copy: line})
	}
	return list
}
