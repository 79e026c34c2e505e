package client

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const auditLong = `Compare the index, page by page, with what it should contain, and repair the
differences from the stored copies. No site is asked. Without --host, pages whose
source is no longer registered are removed, too.

The server does the work; --wait waits until it is done and lists the differences.`

const auditExample = `  tidemark audit --wait
  tidemark audit --host example.com`

func auditCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var host string
	var wait bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Compare the index with what it should contain, and repair it",
		Long:    auditLong,
		Example: auditExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := api.RebuildRequest{Audit: true}
			if host != "" {
				req.Scope = &api.RebuildScope{Host: host}
			}
			return rebuild(cmd.Context(), t, s, req, wait, interval)
		},
	}
	f := cmd.Flags()
	command.HostFlag(f, &host, "only this `HOST`")
	command.WaitFlags(f, &wait, &interval)
	return cmd
}

// auditText describes the outcome of an audit in words.
func auditText(r api.Rebuild) string {
	looked := words.Count(r.Items, "source")
	if r.Entries > 0 {
		looked += " and " + words.Count(r.Entries, "entry")
	}
	differences := r.Marked + r.Mended + r.Removed
	if differences == 0 {
		return fmt.Sprintf("done: %s looked at, the index holds what it should", looked)
	}
	text := fmt.Sprintf("done: %s looked at, %s differed: %s indexed anew, %s kept out, %s failed",
		looked, words.Thousands(r.Marked), words.Thousands(r.Indexed), words.Thousands(r.KeptOut), words.Thousands(r.Failed))
	if r.Mended > 0 {
		text += fmt.Sprintf("; %s put right", words.Count(r.Mended, "entry"))
	}
	if r.Removed > 0 {
		text += fmt.Sprintf("; %s without a source taken out", words.Count(r.Removed, "page"))
	}
	for _, f := range r.Findings {
		text += fmt.Sprintf("\n  %s  %s", terminal.Clean(f.ID), terminal.Clean(f.What))
	}
	if more := differences - len(r.Findings); more > 0 {
		text += fmt.Sprintf("\n  and %s more, which the server's log names", words.Thousands(more))
	}
	return text
}
