package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// otherWork describes, one per line, the unfinished work other than checks: rebuilds, backfills and mail imports.
// Such work makes items due as it proceeds, so a watch must wait for it. If host is not empty, otherWork leaves out
// imports, and backfills that have no site on that host. With --json the server's answers to these requests are not
// printed.
func otherWork(ctx context.Context, s *command.Server, st api.SearchStatus, host string) ([]string, error) {
	lines := rebuildLines(st)
	client := s.Silent()
	runs, err := api.ListBackfills.Call(ctx, client, api.BackfillQuery{Top: 0, Continuation: ""})
	if err != nil {
		return nil, err
	}
	for _, r := range runs.Runs {
		if r.Status != api.BackfillPending && r.Status != api.BackfillRunning {
			continue
		}
		switch here, err := backfillsHost(ctx, client, r, host); {
		case err != nil:
			return nil, err
		case here:
			lines = append(lines, fmt.Sprintf("backfilling %s: %s", terminal.Clean(strings.Join(r.Sources, ", ")),
				backfillProgress(r)))
		}
	}
	if host != "" {
		return lines, nil
	}
	imports, err := api.ListImports.Call(ctx, client, api.ImportQuery{Top: 0})
	for _, i := range imports.Imports {
		if !i.Over() {
			lines = append(lines, fmt.Sprintf("importing %s: %s so far", terminal.Clean(i.MboxPath), words.Count(i.Mails,
				"mail")))
		}
	}
	return lines, err
}

// backfillsHost reports whether a run has a site on the given host, or any site if the host is empty.
func backfillsHost(ctx context.Context, client *api.Client, run api.BackfillRun,
	host string) (bool, error) {
	if host == "" {
		return true, nil
	}
	list, err := api.ListBackfillSites.Call(ctx, client, api.None{})
	return slices.ContainsFunc(list.Sites, func(s api.BackfillSite) bool {
		return s.Domain == host && slices.Contains(run.Sources, s.Slug)
	}), err
}

// rebuildLines describes the rebuilds in a status.
func rebuildLines(st api.SearchStatus) (lines []string) {
	for _, r := range st.Rebuilds {
		lines = append(lines, rebuildLine(r))
	}
	return lines
}
