package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// command is a command of nvnodetop that watches a job, with the places of its files.
type command struct {
	name string
	args string // arguments; DIR is a directory of alice's, JOB the job
}

// watching are the commands that run for long.
var watching = []command{
	{"screen", ""}, // in a terminal
	{"record", "record DIR/run.nvr"},
	{"log, every 10 s", "log --csv DIR/gpus.csv"},
	{"track --job", "track --job JOB"},
	{"serve, a scraper", "serve --listen unix:DIR/socket"},
	{"watch", "watch JOB"},
}

// scrapeEvery is the interval of the scraper.
const scrapeEvery = 15 * time.Second

var commandRows = slices.Concat(costs, []line{
	{"probes on each node", "%.0f", func(f figures) float64 { return f.probes }},
	{"squeue calls", "%.0f", func(f figures) float64 { return f.squeues }},
})

// measureCommands measures each of these commands alone, and then all of them at once, as programs of one user.
func measureCommands(o options, program string) error {
	fmt.Printf("%d nodes, poll %s s, %d s watched after %v; squeue calls are those from the start on; the scraper "+
		"asks every %v\n\n", o.nodes, o.poll, o.seconds, rig.Settling, scrapeEvery)
	idle, err := idleCost(20 * time.Second)
	if err != nil {
		return err
	}
	var names []string
	var results [][]figures
	for _, group := range append(each(watching), watching) {
		f, err := watchedBy(o, program, group)
		if err != nil {
			return fmt.Errorf("%s: %w", group[0].name, err)
		}
		f.nodes -= idle.nodes
		names, results = append(names, group[0].name), append(results, []figures{f})
	}
	names[len(names)-1] = "all six"
	report(commandRows, names, results, false)
	return nil
}

// each returns each command in a group of its own.
func each(all []command) (out [][]command) {
	for _, c := range all {
		out = append(out, []command{c})
	}
	return out
}

// watchedBy measures commands that run at the same time.
func watchedBy(o options, program string, group []command) (f figures, err error) {
	dir, err := rig.Cluster("on", "-u", "alice", "login", "mktemp", "-d", "-p", filepath.Dir(program))
	if err != nil {
		return f, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	job, err := rig.Cluster("on", "login", "squeue", "-h", "-u", "alice", "-o", "%i")
	if err != nil {
		return f, err
	}
	var stops []func() error
	for i, c := range group {
		log := fmt.Sprintf("%s/%d.log", dir, i)
		args := append(strings.Fields(strings.NewReplacer("DIR", dir, "JOB", job).Replace(c.args)), "--log", log)
		stop, err := begin(o, program, c, args, fmt.Sprintf("%s/%d.pid", dir, i))
		if err != nil {
			return f, err
		}
		stops = append(stops, stop)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go scrape(ctx, dir+"/socket")
	f, err = watched(o, nil)
	cancel()
	f.rss, f.probeRSS = rig.PeakRSS(filepath.Base(program)), rig.PeakRSS("nvnodetop-probe")
	f.probes = float64(len(rig.PIDsOf("nvnodetop-probe"))) / float64(o.nodes)
	for _, stop := range stops {
		err = errors.Join(err, stop())
	}
	for i := range group {
		text, failed := os.ReadFile(fmt.Sprintf("%s/%d.log", dir, i))
		err = errors.Join(err, failed)
		f.squeues += float64(strings.Count(string(text), `command="squeue`))
	}
	return f, err
}

// begin starts a command as alice, and returns a function that ends it.
func begin(o options, program string, c command, args []string, pidFile string) (stop func() error, err error) {
	if c.args == "" {
		t, _, _, err := start(o, program, args...)
		return func() error { return rig.Quit(t) }, err
	}
	line := fmt.Sprintf("echo $$ >%s; exec %s %s", pidFile, program, strings.Join(args, " "))
	cmd := exec.Command("scripts/testcluster", "on", "-u", "alice", "login", "sh", "-c", line)
	cmd.Env = append(os.Environ(), "TESTCLUSTER_CGROUP=login-app")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		_, err := rig.Cluster("on", "login", "sh", "-c", "kill -INT $(cat "+pidFile+")")
		return errors.Join(err, cmd.Wait())
	}, nil
}

// scrape asks for the metrics until ctx ends, as Prometheus does. Nothing may listen there.
func scrape(ctx context.Context, socket string) {
	client := &http.Client{Timeout: scrapeEvery,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	for ctx.Err() == nil {
		if answer, err := client.Get("http://localhost/metrics"); err == nil {
			_ = answer.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(scrapeEvery):
		}
	}
}
