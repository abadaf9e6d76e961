package feed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Prepare asks the user for the answers that logins will need, if there is a terminal. It asks SLURM for the nodes only
// if a key may need a passphrase. heard is SLURM's answer, or else the answer that was already known, which may be nil.
func Prepare(ctx context.Context, door *ssh.Door, io cli.Streams, nodes []string, client *slurm.Client,
	known *source.EarlyAnswer) (heard *source.EarlyAnswer, err error) {
	at := NewTerminal(io)
	if at == nil {
		return known, nil
	}
	if err := door.Prepare(ctx, at, nodes); err != nil || len(nodes) > 0 || !door.MayAsk(ctx) {
		return known, err
	}
	if heard = known; heard == nil {
		began, line := time.Now(), cli.NewStatus(io.Err)
		line.Set("asking SLURM for your jobs")
		answer, err := client.Ask(ctx)
		line.Erase()
		// the screen shows the error
		heard = &source.EarlyAnswer{Answer: answer, Err: err, At: time.Now(), Took: time.Since(began)}
	}
	if heard.Answer == nil {
		return heard, nil
	}
	for i := range heard.Answer.Jobs {
		nodes = append(nodes, heard.Answer.Jobs[i].Nodes...)
	}
	return heard, door.Prepare(ctx, at, nodes)
}

// Kept returns SLURM's last answer about the jobs, if it is recent enough for the user; nil: it is not, or there is
// none.
func Kept(p *cli.Program) *source.EarlyAnswer {
	return source.Kept(p.Answers(), p.MaxAge, p.Config.Job)
}

// terminalAsker asks the user on the terminal, before the screen starts. It implements ssh.Asker.
type terminalAsker struct {
	in  *os.File
	out io.Writer
}

// NewTerminal returns the terminal for questions; nil: there is none.
func NewTerminal(io cli.Streams) *terminalAsker {
	errs, isFile := io.Err.(*os.File)
	if !isFile || !cli.IsTerminal(io.In) || !cli.IsTerminal(errs) {
		return nil
	}
	return &terminalAsker{in: io.In, out: errs}
}

// Ask implements ssh.Asker. If ctx ends, the terminal is restored, and the read is abandoned.
func (t *terminalAsker) Ask(ctx context.Context, host, prompt string, secret bool) (string, error) {
	fmt.Fprint(t.out, promptText(host, prompt))
	tty := t.in.Fd() // stored before the read: if the read is abandoned, the file may be closed
	before, err := term.GetState(tty)
	if err != nil {
		return "", err
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer crash.End()
		text, err := t.readAnswer(tty, secret)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		_ = term.Restore(tty, before)
		fmt.Fprintln(t.out)
		return "", context.Cause(ctx)
	}
}

func (t *terminalAsker) readAnswer(tty uintptr, secret bool) (string, error) {
	if secret {
		text, err := term.ReadPassword(tty)
		fmt.Fprintln(t.out)
		return string(text), err
	}
	line, err := bufio.NewReaderSize(oneByteReader{t.in}, 16).ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

// oneByteReader reads no further than necessary, because the bytes that follow belong to the next reader.
type oneByteReader struct{ io.Reader }

func (r oneByteReader) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 1)]) }

// promptText returns a question with the name of the asking host before each line. nvnodetop's own questions have no
// name before them, so no host can pretend to be nvnodetop. Long runs of blanks are shortened, because they could fake
// a new line by filling a line of the terminal.
func promptText(host, prompt string) string {
	prompt = cli.Printable(prompt)
	if host == "" {
		return prompt
	}
	name := "(" + cli.Printable(host) + ") "
	return name + strings.ReplaceAll(blanks.ReplaceAllString(prompt, "    "), "\n", "\n"+name)
}

var blanks = regexp.MustCompile(" {5,}")
