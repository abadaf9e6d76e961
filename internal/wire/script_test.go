package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// script runs commands in dir with a function of scripts/build.
func script(t *testing.T, dir, function, commands string) string {
	t.Helper()
	text, err := os.ReadFile("../../scripts/build")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, is := strings.Cut(string(text), "\n"+function+"() {\n")
	body, _, ends := strings.Cut(rest, "\n}\n")
	if !is || !ends {
		t.Fatalf("scripts/build has no function %s", function)
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", function+"() {\n"+body+"\n}\n"+commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES=/")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// The source of a release has the version of its file, also inside another project's checkout.
func TestVersionOfASource(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "vendor", "nvnodetop")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	commit := "git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git tag v7.0.0"
	if out, err := exec.Command("bash", "-c", "cd "+dir+" && "+commit).CombinedOutput(); err != nil {
		t.Skipf("no git: %s", out)
	}
	if got := script(t, source, "version", "version"); got != "devel" {
		t.Errorf("a source without a version is %q", got)
	}
	if err := os.WriteFile(filepath.Join(source, "VERSION"), []byte("0.9.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := script(t, source, "version", "version"); got != "0.9.0" {
		t.Errorf("the source of a release is %q", got)
	}
	if got := script(t, dir, "version", "version"); got != "7.0.0" {
		t.Errorf("a checkout is %q", got)
	}
}

// The probes of a release are found in its archive by their names, with any tar.
func TestProbesOfARelease(t *testing.T) {
	dir := t.TempDir()
	got := script(t, dir, "unpack", `fail() { echo "$*"; exit 0; }
		empty() { mkdir -p built; : >built/list; }
		BUILT=built RELEASED=released
		mkdir -p nvnodetop-probes-0.9.0 && echo probe | xz -9 >nvnodetop-probes-0.9.0/linux-amd64.xz
		tar -czf a.tar.gz nvnodetop-probes-0.9.0
		echo "linux/amd64 6 $(echo probe | sha256sum | cut -d' ' -f1)" >released
		tar() { case "$*" in *wildcards*) echo "an option of GNU tar" ;; esac; command tar "$@"; }
		unpack a.tar.gz && cat built/list && xz -dc built/linux-amd64.xz
		echo "linux/arm64 6 0" >released; unpack a.tar.gz`)
	if want := "\nprobe\na.tar.gz has no probe for linux/arm64"; !strings.HasPrefix(got, "linux/amd64 6 ") ||
		!strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
}
