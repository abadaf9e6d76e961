// Package apptest runs the whole program in the tests of its commands: within the process of the test, which is fast,
// or as a process of its own. A test package that uses it calls Main in its TestMain.
package apptest

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/test/heed"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// mainEnv makes a test binary the program.
const mainEnv = "NVNODETOP_APP_TEST_MAIN"

// App is the program, package app: this package does not import it, so that package app can use this one.
type App struct {
	Main func(args []string, in, out *os.File, errs io.Writer) int
	Run  func(ctx context.Context, args []string, in, out *os.File, errs io.Writer) int

	OnCluster bool // its SLURM is wanted
}

var app App

// Main is the TestMain of a package. It makes the test binary a probe when it is started as one, as the program is, but
// without NVML; and the program itself, for Command.
func Main(m *testing.M, program App) {
	if len(os.Args) == 2 && os.Args[1] == "probe" {
		if os.Getenv(NoProbe) != "" {
			fmt.Fprintln(os.Stderr, "libc.so.6: version GLIBC_2.34 not found")
			os.Exit(1)
		}
		os.Exit(probe.Main("test", noNVML{}))
	}
	cli.SystemFile = "" // of the machine on which the tests run
	if os.Getenv(mainEnv) != "" {
		crash.Own()
		os.Exit(program.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	app = program
	heed.Signals()
	_ = flag.Set("test.parallel", "16") // most of them wait
	if program.OnCluster {
		os.Exit(m.Run())
	}
	os.Exit(WithoutSLURM(m.Run))
}

// Run runs the program in this process, with files for its streams, none of them a terminal.
func Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return RunUntil(t.Context(), t, args...)
}

// RunUntil runs the program likewise. The end of the context interrupts it, as Ctrl-C does.
func RunUntil(ctx context.Context, t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	code, stderr = RunTo(ctx, t, out, args...)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text), stderr
}

// RunTo runs the program with this standard output.
func RunTo(ctx context.Context, t testing.TB, out *os.File, args ...string) (code int, stderr string) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var errs bytes.Buffer
	code = app.Run(ctx, args, in, out, &errs)
	return code, errs.String()
}

// Start starts a program that serves until it is interrupted, and returns the first two lines that it prints. The
// function interrupts it, and returns its exit code and what it has said on standard error.
func Start(t testing.TB, args ...string) (lines []string, end func() (code int, stderr string)) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	var code int
	var stderr string
	go func() {
		defer close(ended)
		code, stderr = RunTo(ctx, t, write, args...)
		_ = write.Close()
	}()
	in := bufio.NewScanner(read)
	for len(lines) < 2 && in.Scan() {
		lines = append(lines, in.Text())
	}
	return lines, func() (int, string) {
		stop()
		<-ended
		_ = read.Close()
		return code, stderr
	}
}

// Command returns the program as a process of its own, with more variables in its environment.
func Command(variables []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "/proc/self/exe", args...)
	cmd.Env = append(append(os.Environ(), mainEnv+"=1"), variables...)
	return cmd
}

// Process runs the program as a process of its own.
func Process(t testing.TB, variables []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := Command(variables, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// Script writes a program into a directory that runs another one, the program as a process of its own, with more
// arguments behind those that it gets.
func Script(t testing.TB, path, more string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stubs.Write(t, filepath.Dir(path), filepath.Base(path), mainEnv+"=1 exec "+self+` "$@" `+more)
}
