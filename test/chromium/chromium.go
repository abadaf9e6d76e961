// Package chromium runs headless Chromium, so that tests see the pages of nvnodetop serve as a browser does, and
// pictures of them can be made. It speaks the DevTools protocol over two pipes.
//
// A Browser and its Tab are for one goroutine.
package chromium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Names under which distributions install it.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// ErrAbsent says that there is no Chromium on this host.
var ErrAbsent = errors.New("chromium is not installed")

// patience is how long an answer may take.
const patience = 30 * time.Second

// lastWords is the number of bytes of Chromium's last messages that an error quotes.
const lastWords = 2 << 10

// Browser is a running Chromium with one tab.
type Browser struct {
	cmd     *exec.Cmd
	home    string
	to      io.WriteCloser
	answers chan message // closed when it has ended
	last    int
	session string
	said    []string
}

// message is an answer or an event of Chromium.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// failure is what Chromium says of a request that failed.
type failure string

func (f failure) Error() string { return string(f) }

// Start starts Chromium, which ends with ctx at the latest. The caller must close it.
func Start(ctx context.Context) (*Browser, error) {
	program := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		return nil, ErrAbsent
	}
	home, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	b := &Browser{home: home, answers: make(chan message)}
	if err := b.start(ctx, program); err != nil {
		_ = os.RemoveAll(home)
		return nil, err
	}
	if err := b.attach(); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// start starts the program, which reads requests from its file 3 and writes answers to its file 4.
func (b *Browser) start(ctx context.Context, program string) error {
	requests, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return errors.Join(err, requests.Close(), to.Close())
	}
	b.to = to
	b.cmd = exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir="+b.home, "about:blank")
	b.cmd.ExtraFiles = []*os.File{requests, answers}
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := os.Create(b.stderrFile())
	if err == nil {
		b.cmd.Stderr = said
		err = errors.Join(b.cmd.Start(), said.Close())
	}
	_, _ = requests.Close(), answers.Close()
	if err != nil {
		return errors.Join(err, to.Close(), from.Close())
	}
	go b.receive(from)
	return nil
}

// receive reads messages, each of which ends with a zero byte.
func (b *Browser) receive(from io.ReadCloser) {
	defer from.Close()
	defer close(b.answers)
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) == nil {
			b.answers <- m
		}
	}
}

// attach opens the tab, and subscribes to its complaints.
func (b *Browser) attach() error {
	var target struct {
		ID string `json:"targetId"`
	}
	if err := b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := b.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true},
		&session); err != nil {
		return err
	}
	b.session = session.ID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		if err := b.call(domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// call sends a request and decodes its answer. It keeps complaints that come before the answer.
func (b *Browser) call(method string, params map[string]any, result any) error {
	b.last++
	request := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		request["params"] = struct{}{}
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(text, 0)); errors.Is(err, syscall.EPIPE) {
		return b.explainEnd()
	} else if err != nil {
		return fmt.Errorf("chromium: %w", err)
	}
	late := time.After(patience)
	for {
		select {
		case m, running := <-b.answers:
			switch {
			case !running:
				return b.explainEnd()
			case m.ID != b.last:
				b.listen(m)
			case m.Error != nil:
				return fmt.Errorf("chromium: %s: %w", method, failure(m.Error.Message))
			case result != nil:
				return json.Unmarshal(m.Result, result)
			default:
				return nil
			}
		case <-late:
			return fmt.Errorf("chromium: no answer to %s", method)
		}
	}
}

// stderrFile returns the path of the file with Chromium's messages.
func (b *Browser) stderrFile() string { return filepath.Join(b.home, "stderr.log") }

// explainEnd returns an error with Chromium's exit status and its last messages.
func (b *Browser) explainEnd() error {
	_ = b.cmd.Wait()
	said, err := os.ReadFile(b.stderrFile())
	if err != nil {
		return fmt.Errorf("chromium has ended: %v, %w", b.cmd.ProcessState, err)
	}
	return fmt.Errorf("chromium has ended: %v: %s", b.cmd.ProcessState, said[max(0, len(said)-lastWords):])
}

// Close ends Chromium.
func (b *Browser) Close() {
	_ = b.to.Close()
	ended := make(chan struct{})
	go func() {
		for range b.answers { // so that it can write its last messages
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		_ = b.cmd.Process.Kill()
	}
	_ = b.cmd.Wait()
	// Its helpers may outlive it, and become children of a test that follows orphans.
	_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
	_ = os.RemoveAll(b.home)
}
