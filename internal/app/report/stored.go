package report

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"reflect"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// compareReports prints two reports side by side. For a job that is still running it uses what SLURM has counted so
// far.
func (o *Options) compareReports(ctx context.Context, log *slog.Logger, file *os.File, args []string) error {
	var reports [2]*report.Report
	for i, arg := range args {
		var err error
		if sacct.IsID(arg) {
			reports[i], err = o.accountedReport(ctx, log, arg)
		} else {
			reports[i], err = loadReport(arg)
		}
		if err != nil {
			return err
		}
	}
	return writeDocument(&o.Streams, file, output.Comparisons[o.format], output.Compare(reports[0], reports[1]))
}

// accountedReport returns the report of a job from SLURM's accounting and from a recording of the job.
func (o *Options) accountedReport(ctx context.Context, log *slog.Logger, id string) (*report.Report, error) {
	jobs, err := feed.AccountedJobs(ctx, o.Program, log, id)
	if err != nil {
		return nil, accountingError(err)
	}
	switch len(jobs) {
	case 0:
		return nil, cli.Exit(cli.ExitNoJobs, notShown(id))
	case 1:
		return ofEnded(ctx, o.Program, "", id, &jobs[0]), nil
	}
	return nil, cli.Exit(cli.ExitUsage, severalParts(id, jobs))
}

// printStored prints a report from a file again, in another format.
func (o *Options) printStored(_ context.Context, file *os.File, path string) error {
	r, err := loadReport(path)
	if err != nil {
		return err
	}
	return writeDocument(&o.Streams, file, output.Formats[o.format], r)
}

// maxStored is the size of the largest report that is read. A report of a job with 1,000 nodes of 8 GPUs has 5 MB.
const maxStored = 64 << 20

// loadReport reads a report in JSON.
func loadReport(path string) (*report.Report, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, cli.Usage("%q is neither the ID of a job nor a file: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, cli.Usage("%q is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.Usage("%q: %w", path, errors.Unwrap(err))
	}
	defer func() { _ = f.Close() }()
	r := &report.Report{}
	if err := json.NewDecoder(io.LimitReader(f, maxStored)).Decode(r); err != nil {
		return nil, cli.Usage("%q is not a report in JSON: %w", path, err)
	}
	if r.Version != report.Version || r.Job.ID == "" {
		return nil, cli.Usage("%q is not a report of a job, or has another version", path)
	}
	cleanTexts(reflect.ValueOf(r).Elem())
	return r, nil
}

// cleanTexts makes every text of a document safe to display, because anybody may have written it.
func cleanTexts(v reflect.Value) {
	const most = 4096
	switch v.Kind() {
	case reflect.String:
		v.SetString(safe.Line(v.String(), most))
	case reflect.Pointer:
		if !v.IsNil() {
			cleanTexts(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanTexts(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanTexts(v.Field(i))
			}
		}
	}
}
