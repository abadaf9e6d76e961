package app

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// Every command prints documents that match the schema of the same program.
func TestDocumentsMatchTheirSchemas(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	file := feedtest.Recording(t)
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for name, script := range map[string]string{
		"sinfo": "printf 'gpu*|up|gpu:a100:4|node01\\nlow|down|gpu:1|node02\\n'",
		"sprio": "exit 1", "sbatch": "exit 1",
		"scontrol": "[ $2 = job ] && printf 'JobId=7 JobName=x\\n   UserId=alice(1)\\n   JobState=PENDING Reason=None\\n   " +
			"Partition=gpu A=1\\n' && exit\nprintf 'NodeName=node01 Arch=x\\n   Gres=gpu:a100:4\\n   GresUsed=gpu:a100:1(IDX:2)\\n   " +
			"State=MIXED X=1\\n\\nNodeName=node02 Arch=x\\n   Gres=gpu:1\\n   State=DOWN+DRAIN X=1\\n   " +
			"Reason=fan [root@2026-01-02T03:04:05]\\n'",
	} {
		stubs.Write(t, dir, name, script)
	}
	seen := map[string]bool{}
	for _, test := range []struct{ schema, args, has string }{
		{"json", "--json --demo=2x2", `"uuid"`},
		{"json", "replay --json " + file, `"uuid"`},
		{"json", "--json --nodes a.invalid --timeout 1s", `"a.invalid"`},
		{"check", "check --json --demo=2x4", `"gpus": [`},
		{"check", "check --json --nodes a.invalid --timeout 1s", `"a.invalid"`},
		{"waiting", "check --waiting 7 --json", `"trials": [`},
		{"doctor", "doctor --json a.invalid", `"a.invalid"`},
		{"report", "report --format json --from " + file + " 48211", `"48211"`},
		{"track", "track --format json --disable-logs -- sh -c true", `"max_ram"`},
		{"available", "available --cluster --json", `"fan`},
		{"list", "list --json --demo=2x2", `"clock_mhz": 1`},
		{"list", "list --json=gpustat --demo=2x2", `"cpu_memory_usage": 3`},
		{"list", "list --json --nodes a.invalid --timeout 1s", `"error": `},
		{"list", "list --json=gpustat --nodes a.invalid --timeout 1s", `"gpus": []`},
	} {
		seen[test.schema] = true
		if out := apptest.Document(t, test.schema, strings.Fields(test.args)...); !strings.Contains(out, test.has) {
			t.Errorf("%s: no %s in\n%s", test.args, test.has, out)
		}
	}
	seen["stacks"] = true // TestStacksMatchTheirSchema of package stacks
	for _, d := range schemaDocuments {
		if !seen[d.Name] {
			t.Errorf("no command is tried for the schema %s", d.Name)
		}
	}
}

// The list of schemas has each name, and a wrong name is one line.
func TestListOfSchemas(t *testing.T) {
	t.Parallel()
	want := ""
	for _, d := range schemaDocuments {
		want += fmt.Sprintf("%-10s %s\n", d.Name, d.Of)
	}
	if code, out, errs := apptest.Run(t, "schema"); code != cli.ExitOK || errs != "" || out != want {
		t.Errorf("exit code %d, stderr %q, %s", code, errs, out)
	}
	for args, said := range map[string]string{
		"schema jsn": `no schema "jsn", did you mean "json"? (nvnodetop schema lists them)`,
		"schema a b": `unexpected argument "b": schema takes one NAME`,
	} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitUsage || out != "" ||
			errs != "nvnodetop: "+said+"\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
	page, err := os.ReadFile("../../docs/commands/schema.md")
	for _, d := range schemaDocuments {
		if !strings.Contains(string(page), "| `"+d.Name+"` |") {
			err = errors.Join(err, fmt.Errorf("docs/commands/schema.md does not have %s", d.Name))
		}
	}
	if err != nil {
		t.Error(err)
	}
}
