package client

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const importListLong = `Register the addresses of a list, each once: a feed reader's OPML, a browser's
bookmarks, CSV or JSON Lines; "-" reads standard input.

Known sources are not changed, and refused addresses are listed with the reason. From
OPML, the pages are registered; put feeds in the site file. The import continues on
the server when this command is interrupted.

"tidemark import mbox" imports mails.`

const importListExample = `  tidemark import subscriptions.opml
  tidemark import bookmarks.html
  tidemark import --format csv - < sources.csv`

// maxListFile is the largest list that a server accepts, less the overhead of JSON.
const maxListFile = 3 << 20

func importListCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "import FILE",
		Short:   "Register the addresses of a list, or import mails",
		Long:    importListLong,
		Example: importListExample,
		Args:    command.One("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := listFile(t, args[0])
			if err != nil {
				return err
			}
			return importList(cmd.Context(), t, s, api.ListImportRequest{Content: text, Format: format})
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "opml, bookmarks, csv or jsonl; detected from the content by default")
	return cmd
}

// listFile reads a list from a file.
func listFile(t *terminal.Terminal, name string) (string, error) {
	in := t.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxListFile+1))
	if err == nil && len(text) > maxListFile {
		err = command.Usagef("the list is larger than %d MiB: import it in parts", maxListFile>>20)
	}
	return string(text), err
}

// importList waits for the import of a list and prints the result.
func importList(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.ListImportRequest) error {
	im, err := api.ImportList.Call(ctx, s.Silent(), req)
	for err == nil && im.EndedAt.IsZero() {
		if err = t.Sleep(ctx, time.Second); err == nil {
			im, err = api.GetListImport.Call(ctx, s.Silent(), api.ListImportID{ID: im.ID})
		}
	}
	if err != nil {
		return err
	}
	if t.JSON {
		return json.NewEncoder(t.Out).Encode(im)
	}
	t.Say("%s added, %s known, %s refused", words.Count(im.Added, "source"), words.Thousands(im.Known),
		words.Thousands(im.Refused))
	for _, r := range im.Refusals {
		t.Say("  %s: %s", terminal.Clean(r.Source), terminal.Clean(r.Error))
	}
	if im.Refused > len(im.Refusals) {
		t.Say("  and %s more", words.Thousands(im.Refused-len(im.Refusals)))
	}
	return nil
}
