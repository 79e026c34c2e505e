package client

import (
	"context"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const reindexLong = `Check a source now, before its next scheduled check.

A source that has not changed is not indexed again, unless --force is given. Name it
by its id, or by the URL or path it was added with. A host that asked for a pause is
not asked until the pause is over.`

const reindexExample = `  tidemark reindex https://example.com/news
  tidemark reindex --force url_k7gxn3…`

// isID matches ids. It matches no source, because no URL or path has the form of an id.
var isID = regexp.MustCompile(`^(url|file)_[a-z2-7]+$`)

func reindexCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "reindex ID|SOURCE",
		Short:   "Check a source now, or fetch and index it again",
		Long:    reindexLong,
		Example: reindexExample,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return reindex(cmd.Context(), t, s, args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "fetch and index it even if it has not changed")
	return cmd
}

func reindex(ctx context.Context, t *terminal.Terminal, s *command.Server, what string, force bool) error {
	req := api.ReindexRequest{Source: localPath(what), Force: force}
	if isID.MatchString(what) {
		req = api.ReindexRequest{ID: what, Force: force}
	}
	item, err := api.ReindexItem.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	t.Say("%s is due now: %s", terminal.Clean(item.ID), sourceOf(item))
	sayPause(ctx, t, s, item.SourceHost)
	return nil
}
