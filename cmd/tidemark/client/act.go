package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const acceptHelp = `accept ID|SOURCE
Accept a page as it is now, although most of its text is missing

Accept a page as it is now, although most of its text is missing.

A page that has lost most of its text is marked as collapsed, and searches find the
previous text until two more checks have found the same. This command accepts what the
next check finds, and requests that check now. It also ends a broken watch. A page that
is neither collapsed nor has a broken watch stays as it is.

  tidemark accept https://example.com/news
  tidemark accept url_k7gxn3…`

func acceptCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(acceptHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		item, err := atItem(ctx, s, s.Client(), args[0], api.AcceptItem)
		switch name := sourceOf(item); {
		case err != nil:
		case !item.Collapsed && !item.WatchBroken:
			t.Say("there is nothing to accept: %s has neither collapsed, nor is its watch broken", name)
		default:
			t.Say("%s is accepted as it is, and is checked now: %s", terminal.Clean(item.ID), name)
		}
		return err
	})
}

const reindexHelp = `reindex ID|SOURCE
Check a source now, or fetch and index it again

Check a source now, before its next scheduled check.

A source that has not changed is not indexed again, unless --force is given. Name it
by its id, or by the URL or path it was added with. A host that asked for a pause is
not asked until the pause is over.

  tidemark reindex https://example.com/news
  tidemark reindex --force url_k7gxn3…`

func reindexCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var req api.ReindexRequest
	cmd := command.New(reindexHelp, cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		if isID.MatchString(args[0]) {
			req.ID = args[0]
		} else {
			req.Source = localPath(args[0])
		}
		item, err := api.ReindexItem.Call(ctx, s.Client(), req)
		if err == nil {
			t.Say("%s is due now: %s", terminal.Clean(item.ID), sourceOf(item))
			sayPause(ctx, t, s, item.SourceHost)
		}
		return err
	})
	cmd.Flags().BoolVar(&req.Force, "force", false, "fetch and index it even if it has not changed")
	return cmd
}

// sayPause prints a line if a host is paused, either because the host asked for a pause or because the day's budget
// is spent. During the pause no page of the host is fetched, not even one that is due. An error in reading the status
// is ignored, because the command's own request has already succeeded. With --json nothing is printed.
func sayPause(ctx context.Context, t *terminal.Terminal, s *command.Server, host string) {
	if t.JSON || host == "" {
		return
	}
	st, err := api.GetStatus.Call(ctx, s.Client(), api.StatusQuery{Host: host})
	if err != nil {
		return
	}
	now := t.Now()
	for _, h := range st.Hosts {
		t.SayWhen(h.Host == host && h.PausedUntil.After(now), "its host is left alone, goes on %s: %s",
			words.Relative(now, h.PausedUntil), terminal.Clean(h.PauseReason))
	}
}

const removeHelp = `remove ID|SOURCE…
Remove sources from the index and the registry

Remove sources from the index and the registry, with everything stored for them.

Name each by its id, or by the URL or path it was added with. The server answers at
once and takes the source out of the index within seconds, without asking its site. For
15 minutes "tidemark undo" brings it back; then everything stored of it is deleted. A
source that is added again starts without a history.

  tidemark remove https://example.com/news
  tidemark remove url_k7gxn3…`

func removeCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(removeHelp, nil, func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return command.Usagef("give an id or source")
		}
		for _, name := range args {
			item, err := atItem(ctx, s, s.Client(), name, api.RemoveItem)
			if err != nil {
				return err
			}
			t.Say("%s is being removed: %s", terminal.Clean(item.ID), sourceOf(item))
			sayUndo(t, item.Undo)
		}
		return nil
	})
}
