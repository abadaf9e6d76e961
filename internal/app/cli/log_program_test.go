package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// The log has the events, and none of the secrets that the program sees: environments, keys, and the output of
// commands.
func TestTheLogHasNoSecrets(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", "")
	t.Setenv("SECRET_TOKEN", "s3cr3t-of-the-environment")
	apptest.WithSettings(t, "", "poll.interval = 4\nnotify.command = ['curl', 'https://hooks.example.org/x/s3cr3t-hook']\n")
	const key = "s3cr3t-of-the-key"
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"),
		[]byte("-----BEGIN OPENSSH PRIVATE KEY-----\n"+key+"\n-----END OPENSSH PRIVATE KEY-----\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "log")
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	feedtest.Squeue(t, apptest.OneJob+"; env >&2")
	apptest.Run(t, "--json", "--log", path, "--timeout", "5s", "--transport", "ssh")
	first := read()
	feedtest.Squeue(t, "env; env >&2; exit 1")
	_, _, errs := apptest.Run(t, "--json", "--log="+path, "--timeout", "5s")
	text := read()
	if !strings.HasPrefix(text, first) || len(text) == len(first) {
		t.Error("the log is not appended")
	}
	for _, want := range []string{
		`level=INFO msg=start version=`, `msg=setting key=poll.interval value="\"4s\"" from=` +
			filepath.Dir(cli.SystemFile), `key=log value=`, `msg=slurm command="squeue --me `, ` failed=false`,
		`level=WARN msg=slurm command="squeue `, ` failed=true`, `level=DEBUG msg=attempt node=host.invalid door=ssh`,
		`level=WARN msg="attempt failed" node=host.invalid door=ssh class=`, `msg=end`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in the log", want)
		}
	}
	for _, secret := range []string{"s3cr3t", "SECRET_TOKEN", "PRIVATE KEY"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if strings.Contains(errs, "msg=") {
		t.Errorf("the log is on the screen: %q", errs)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v, %v", info.Mode(), err)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestTheLogIsAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, fifo, target := filepath.Join(dir, "link"), filepath.Join(dir, "fifo"), filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	open, foreign := filepath.Join(dir, "open"), filepath.Join(dir, "foreign")
	for path, mode := range map[string]os.FileMode{open: 0o666, foreign: 0o600} {
		if err := errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	refused := []string{link, fifo, dir, filepath.Join(dir, "none", "log"), os.DevNull, open}
	if os.Geteuid() == 0 {
		if err := os.Chown(foreign, 1, -1); err != nil {
			t.Fatal(err)
		}
		refused = append(refused, foreign)
	}
	for _, path := range refused {
		code, out, errs := apptest.Run(t, "--demo=1x1", "--json", "--log", path)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 ||
			!strings.HasPrefix(errs, "nvnodetop: --log: ") {
			t.Errorf("%s: exit code %d, stderr %q", path, code, errs)
		}
	}
	if text, err := os.ReadFile(target); err != nil || len(text) > 0 {
		t.Errorf("the target of the link is %q, %v", text, err)
	}
}
