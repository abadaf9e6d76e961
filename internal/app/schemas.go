package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/check"
	"github.com/nvnodetop/nvnodetop/internal/output/doctor"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
)

// schemaDocuments are the documents with a schema.
var schemaDocuments = []struct {
	Name   string
	Of     string // the commands that print it
	Schema []byte
}{
	{"json", "nvnodetop --json; snapshot, replay --json; serve", export.Schema},
	{"check", "check --json", check.Schema},
	{"waiting", "check --waiting ID --json", check.WaitingSchema},
	{"doctor", "doctor --json", doctor.Schema},
	{"report", "report JOB, track --job: --format json", output.Schema},
	{"track", "track --format json -- COMMAND", track.Schema},
	{"available", "available --cluster --json", capacity.Schema},
	{"list", "list --json, list --json=gpustat", vacancy.Schema},
	{"stacks", "stacks --json", stacks.Schema},
}

// schemaCommand prints a schema.
func schemaCommand(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "print the JSON Schema of a document, or the names of all",
		Long: `schema prints the JSON Schema (2020-12) of a document that another command
prints as JSON. Without a NAME it lists the names, each with the commands that
print such a document.`,
		Example: `  nvnodetop schema
  nvnodetop schema json > nvnodetop.schema.json`,
	}
	for _, d := range schemaDocuments {
		cmd.ValidArgs = append(cmd.ValidArgs, d.Name)
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("unexpected argument %q: schema takes one NAME", args[1])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return listDocuments(io)
		}
		for _, d := range schemaDocuments {
			if d.Name == args[0] {
				_, err := io.Out.Write(d.Schema)
				return cli.Failed(err)
			}
		}
		return cli.Usage("no schema %q%s (nvnodetop schema lists them)", args[0], text.Meant(args[0], cmd.ValidArgs))
	}
	return cmd
}

func listDocuments(io cli.Streams) error {
	for _, d := range schemaDocuments {
		if _, err := fmt.Fprintf(io.Out, "%-10s %s\n", d.Name, d.Of); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}
