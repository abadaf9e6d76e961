package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/output/plain"
)

// followPlain prints what is known in sentences, and then what changes, until it is interrupted.
func (o *options) followPlain(ctx context.Context, p *cli.Program, log *slog.Logger) error {
	w := plain.Follower{Only: o.choice.GPUs}
	need := feed.Need{Brief: true, Steady: true, Causes: true, Progress: true}
	return feed.Run(ctx, p, need, log, feed.FollowedAsking(p, p.Config.Poll, func(s *cluster.Snapshot) error {
		return printLines(p, w.See(o.choice.Narrow(s)))
	}))
}

// printLines prints lines at once, in ASCII where the terminal or the user asks for it.
func printLines(p *cli.Program, lines []string) error {
	ascii := cli.ASCII(&p.Config)
	var out bytes.Buffer
	for _, line := range lines {
		if ascii {
			line = strings.Map(draw.ASCII, line)
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	_, err := p.Out.Write(out.Bytes())
	return err
}
