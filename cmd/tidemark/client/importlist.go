package client

import (
	"bytes"
	"cmp"
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
	"github.com/tidemark/tidemark/pkg/run/listimport"
)

const importListLong = `Register the addresses of a list, each once: a feed reader's OPML, a browser's
bookmarks, CSV or JSON Lines; "-" reads standard input.

Known sources are not changed. Refused addresses and lines are listed with the reason.
A long list, of up to 100 MiB, is sent in parts. From OPML, the pages are registered;
put feeds in the site file. The import continues on the server when this command is
interrupted.

"tidemark import mbox" imports mails.`

const importListExample = `  tidemark import subscriptions.opml
  tidemark import bookmarks.html
  tidemark import --format csv - < sources.csv`

// maxListFile is the largest list that a server accepts, less the overhead of JSON.
const maxListFile = 3 << 20

// A list of more bytes is imported in parts, up to maxLongList bytes; each part has about partBytes.
const (
	maxLongList = 100 << 20
	partBytes   = 1 << 20
)

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
			return importLists(cmd.Context(), t, s, text, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "opml, bookmarks, csv or jsonl; detected from the content by default")
	return cmd
}

// listFile reads a list from a file.
func listFile(t *terminal.Terminal, name string) ([]byte, error) {
	in := t.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxLongList+1))
	if err == nil && len(text) > maxLongList {
		err = command.Usagef("the list is larger than %d MiB: import it in parts", maxLongList>>20)
	}
	return text, err
}

// importLists imports a list, in parts if it is long, and prints the result.
func importLists(ctx context.Context, t *terminal.Terminal, s *command.Server, text []byte, format string) error {
	var parts []api.ListImportRequest
	var sum api.ListImport
	if len(text) > maxListFile || bytes.Count(text, []byte("\n")) > listimport.MaxAddresses {
		lists, refused, err := listimport.Parts(text, listimport.Format(format), partBytes)
		if err != nil {
			return command.Usagef("%v", err)
		}
		for _, list := range lists {
			parts = append(parts, api.ListImportRequest{Content: list, Format: string(listimport.JSONLines)})
		}
		sum.Refused, sum.Total, sum.Done = len(refused), len(refused), len(refused)
		for _, a := range refused[:min(len(refused), listimport.MaxRefused)] {
			sum.Refusals = append(sum.Refusals, api.RefusedAddress{Source: a.URL, Error: a.Why})
		}
	} else {
		parts = append(parts, api.ListImportRequest{Content: listimport.Unicode(text), Format: format})
	}
	for _, part := range parts {
		im, err := importList(ctx, t, s, part)
		if err != nil {
			return err
		}
		im.Added, im.Known, im.Refused = im.Added+sum.Added, im.Known+sum.Known, im.Refused+sum.Refused
		im.Refusals, im.Total = append(sum.Refusals, im.Refusals...), im.Total+sum.Total
		im.Done += sum.Done
		im.Warning = cmp.Or(sum.Warning, im.Warning)
		sum = im
	}
	return printList(t, sum)
}

// importList imports a list and waits for the end.
func importList(ctx context.Context, t *terminal.Terminal, s *command.Server,
	req api.ListImportRequest) (api.ListImport, error) {
	im, err := api.ImportList.Call(ctx, s.Silent(), req)
	for err == nil && im.EndedAt.IsZero() {
		if err = t.Sleep(ctx, time.Second); err == nil {
			im, err = api.GetListImport.Call(ctx, s.Silent(), api.ListImportID{ID: im.ID})
		}
	}
	return im, err
}

// printList prints the result of an import.
func printList(t *terminal.Terminal, im api.ListImport) error {
	if t.JSON {
		return json.NewEncoder(t.Out).Encode(im)
	}
	t.Say("%s added, %s known, %s refused", words.Count(im.Added, "source"), words.Thousands(im.Known),
		words.Thousands(im.Refused))
	if im.Warning != "" {
		t.Say("  %s", terminal.Clean(im.Warning))
	}
	for _, r := range im.Refusals {
		t.Say("  %s: %s", terminal.Clean(r.Source), terminal.Clean(r.Error))
	}
	if im.Refused > len(im.Refusals) {
		t.Say("  and %s more", words.Thousands(im.Refused-len(im.Refusals)))
	}
	return nil
}
