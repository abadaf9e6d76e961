package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// The load of measureServe.
const (
	browsers     = 100
	servedDemo   = "64x8"
	scrapedDemo  = "1000x8"
	scrapes      = 5
	serveWarmup  = 5 * time.Second
	serveTimeout = time.Minute
)

// servedParts are the documents that the page with the heat map fetches.
var servedParts = []string{"api/v1/nodes", "api/v1/jobs"}

// measureServe measures nvnodetop serve, without a cluster: browsers that fetch the heat map of a demo at each event,
// and the metrics of a large one.
func measureServe(seconds int) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	exe, err := buildProgram(dir)
	if err != nil {
		return err
	}
	if err := measureBrowsers(exe, time.Duration(seconds)*time.Second); err != nil {
		return err
	}
	return measureScrapes(exe)
}

// server is a running nvnodetop serve.
type server struct {
	cmd         *exec.Cmd
	base, token string
}

func startServer(exe, demo string) (*server, error) {
	s := &server{cmd: exec.Command(exe, "serve", "--demo="+demo, "--listen", "127.0.0.1:0")}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, err
	}
	s.base, s.token, _ = strings.Cut(strings.TrimSpace(link), "?token=")
	for began := time.Now(); time.Since(began) < serveTimeout; time.Sleep(100 * time.Millisecond) {
		if _, err = s.fetch(http.DefaultClient, "-/ready"); err == nil {
			return s, nil
		}
	}
	s.stop()
	return nil, err
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
}

func (s *server) open(client *http.Client, path string) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept-Encoding", "gzip") // so the answer stays compressed
	answer, err := client.Do(request)
	if err == nil && answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, errors.New(answer.Status)
	}
	return answer, err
}

// fetch reads an answer and returns its length.
func (s *server) fetch(client *http.Client, path string) (int64, error) {
	answer, err := s.open(client, path)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return io.Copy(io.Discard, answer.Body)
}

// measureBrowsers prints the cost of the server without and with browsers.
func measureBrowsers(exe string, watched time.Duration) error {
	s, err := startServer(exe, servedDemo)
	if err != nil {
		return err
	}
	defer s.stop()
	pid := s.cmd.Process.Pid
	cost := func() float64 {
		time.Sleep(serveWarmup)
		before := rig.CPUOf(pid)
		time.Sleep(watched)
		return 100 * (rig.CPUOf(pid) - before).Seconds() / watched.Seconds()
	}
	alone := cost()
	var fetched, bytes atomic.Int64
	var failed atomic.Pointer[error]
	var over atomic.Bool
	var all sync.WaitGroup
	for range browsers {
		all.Go(func() {
			if err := s.browse(&fetched, &bytes); err != nil && !over.Load() {
				failed.Store(&err)
			}
		})
	}
	with := cost()
	peak := rig.PeakOf(pid)
	over.Store(true)
	s.stop()
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	n := fetched.Load()
	if n < browsers*int64(watched.Seconds())/4 {
		return fmt.Errorf("only %d events", n)
	}
	fmt.Printf("nvnodetop serve, demo %s, %v each without and with %d browsers that fetch %s at each event:\n",
		servedDemo, watched, browsers, strings.Join(servedParts, " and "))
	fmt.Printf("  CPU without        %6.2f %% of a core (with the simulation)\n", alone)
	fmt.Printf("  CPU with           %6.2f %% of a core\n", with)
	fmt.Printf("  for the browsers   %6.2f %% of a core\n", with-alone)
	fmt.Printf("  events             %6d, of %.1f kB each, compressed\n", n, float64(bytes.Load())/float64(n)/1000)
	fmt.Printf("  memory (peak RSS)  %6.1f MiB\n", float64(peak)/1024)
	return nil
}

// browse does the same as the page, until the server ends.
func (s *server) browse(fetched, bytes *atomic.Int64) error {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	stream, err := s.open(client, "api/v1/events")
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		switch lines.Text() {
		case "event: end":
			return nil
		case "event: snapshot":
			for _, part := range servedParts {
				n, err := s.fetch(client, part)
				if err != nil {
					return err
				}
				bytes.Add(n)
			}
			fetched.Add(1)
		}
	}
	return nil
}

// measureScrapes prints the time of the metrics of a large cluster. There is a new state for each scrape.
func measureScrapes(exe string) error {
	s, err := startServer(exe, scrapedDemo)
	if err != nil {
		return err
	}
	defer s.stop()
	var took []time.Duration
	var size int64
	for range scrapes {
		time.Sleep(2 * time.Second)
		began := time.Now()
		if size, err = s.fetch(http.DefaultClient, "metrics"); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	fmt.Printf("/metrics, demo %s, %d scrapes:\n", scrapedDemo, scrapes)
	slices.Sort(took)
	fmt.Printf("  median, slowest    %6.0f, %.0f ms\n", took[len(took)/2].Seconds()*1000,
		took[len(took)-1].Seconds()*1000)
	fmt.Printf("  size               %6.2f MB\n", float64(size)/1e6)
	return nil
}
