package feed

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// logReading is how long finding and reading the log of a job may take.
const logReading = 20 * time.Second

// WhyFailed says why a job failed, from the end of its log; "": the log does not say, does not exist, or may not be
// read. No node is asked, because the job has ended.
func WhyFailed(ctx context.Context, p *cli.Program, log *slog.Logger, j *sacct.Job) string {
	simulated := p.Config.Demo != ""
	if !p.Config.Logs || cluster.EndState(j.State).SaysWhy() || !simulated && j.User != p.Me() || !j.Ran() {
		return ""
	}
	if simulated {
		return simulatedCause(ctx, p, j.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, logReading)
	defer cancel()
	ways, err := access.New(ctx, &p.Config, log)
	if err != nil {
		return ""
	}
	defer ways.Close()
	none := func(context.Context, string, wire.Request) (wire.Reply, error) {
		return wire.Reply{}, errors.New("the job has ended")
	}
	reader := joblog.NewReader(joblog.Sources{Find: ways.Client.Logs, Ask: none, Login: ways.OnLogin, User: ways.User,
		Host: ways.Host})
	cause, _ := joblog.Why(ctx, j.ID, reader.Read) // without a log the job has failed for no known reason
	return cause
}
