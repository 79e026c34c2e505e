package client

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const failuresHelp = `failures
List the pages that could not be read, by host and hour

List the pages that began to fail, the newest first, in one line for a host and an
hour, with their number and the first reason. A page is listed when it could not be
read three times in a row, or when its host was out of reach for long.

  tidemark failures --since 1d
  tidemark failures --host docs.example.org --kind http_5xx`

func failuresCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.FailureQuery
	cmd := command.New(failuresHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListFailures.Call(ctx, s.Client(), q)
		if err != nil {
			return err
		}
		return terminal.List(t, got.Failures, "no failures", "SINCE\tHOST\tPAGES\tKIND\tFIRST\tID",
			func(f api.Failure) string {
				return terminal.Row(terminal.Minute(f.At), f.Host, words.Thousands(f.Count), f.Kind, f.First, f.ItemID)
			})
	})
	f := cmd.Flags()
	f.StringVar(&q.Since, "since", "", "only failures since this `TIME`")
	command.HostFlag(f, &q.Host, "only failures of this `HOST`")
	f.StringVar(&q.Kind, "kind", "", "only failures of this `KIND`, such as dns, robots, http_4xx or page")
	f.IntVar(&q.Top, "top", 50, "how many, 1 to 500")
	return cmd
}
