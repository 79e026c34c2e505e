package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/run/listimport"
)

const importListHelp = `import FILE
Register the addresses of a list, or import mails

Register the addresses of a list, each once: a feed reader's OPML, a browser's
bookmarks, CSV or JSON Lines; "-" reads standard input.

Known sources are not changed. Refused addresses and lines are listed with the reason.
A long list, of up to 100 MiB, is sent in parts. From OPML, the pages are registered;
put feeds in the site file. The import continues on the server when this command is
interrupted.

"tidemark import mbox" imports mails.

  tidemark import subscriptions.opml
  tidemark import bookmarks.html
  tidemark import --format csv - < sources.csv`

// maxListFile is the largest list that a server accepts, less the overhead of JSON.
const maxListFile = 3 << 20

// A list of more bytes is imported in parts, up to maxLongList bytes; each part has about partBytes.
const (
	maxLongList = 100 << 20
	partBytes   = 1 << 20
)

func importCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var format string
	cmd := command.New(importListHelp, command.One("file"), func(ctx context.Context, args []string) error {
		text, err := listFile(t, args[0])
		if err != nil {
			return err
		}
		return importLists(ctx, t, s, text, format)
	})
	cmd.Flags().StringVar(&format, "format", "", "opml, bookmarks, csv or jsonl; detected from the content by default")
	cmd.AddCommand(importMboxCommand(t, s))
	return cmd
}

// listFile reads a list from a file.
func listFile(t *terminal.Terminal, name string) ([]byte, error) {
	in, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
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
	t.SayWhen(im.Warning != "", "  %s", terminal.Clean(im.Warning))
	for _, r := range im.Refusals {
		t.Say("  %s: %s", terminal.Clean(r.Source), terminal.Clean(r.Error))
	}
	more := im.Refused - len(im.Refusals)
	t.SayWhen(more > 0, "  and %s more", words.Thousands(more))
	return nil
}

const importMboxHelp = `mbox PATH
Import the mails of an mbox file

Import the mails of an mbox file into the entries, each once.

The file is named by its path below the server's EMAIL_IMPORT_ROOT, a folder or a
blob container. Broken mails are skipped and listed at the end. The import continues
on the server when this command is interrupted. Importing a file again does no harm.

  tidemark import mbox inbox.mbox
  tidemark import mbox --batch-size 2000 2024/archive.mbox`

func importMboxCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var batch, chunk int
	var interval time.Duration
	var cmd *cobra.Command
	cmd = command.New(importMboxHelp, command.One("path"), func(ctx context.Context, args []string) error {
		if err := command.CheckInterval(interval); err != nil {
			return err
		}
		req := api.ImportRequest{MboxPath: args[0]}
		if cmd.Flags().Changed("batch-size") {
			req.BatchSize = &batch
		}
		if cmd.Flags().Changed("chunk-size") {
			req.InsertChunkSize = &chunk
		}
		return importMbox(ctx, t, s, req, interval)
	})
	f := cmd.Flags()
	f.IntVar(&batch, "batch-size", 500, "entries of a batch for a model, 500 to 2000")
	f.IntVar(&chunk, "chunk-size", 200, "mails that are inserted together, 1 to 500")
	f.DurationVar(&interval, "interval", time.Second, "how often to poll the import")
	return cmd
}

// importMbox starts an import of a mailbox, follows it to its end, and prints its result.
func importMbox(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.ImportRequest,
	interval time.Duration) error {
	began, client := t.Now(), s.Client()
	im, err := api.ImportMbox.Call(ctx, client, req)
	if err != nil {
		return err
	}
	shown := t.Bar(int(max(im.Size, 1)), "importing")
	err = terminal.Follow(ctx, t, interval, terminal.After(im, func() (api.Import, error) {
		return api.GetImport.Call(ctx, client, api.ImportID{ID: im.ID})
	}), func(now api.Import) bool {
		rate := float64(now.Mails) / max(t.Now().Sub(began).Seconds(), 1)
		shown.Describe(fmt.Sprintf("%s, %.0f/s, %s broken", words.Count(now.Mails, "mail"), rate,
			words.Thousands(now.Failed)))
		shown.At(int(now.Bytes))
		im = now
		return now.Over()
	})
	shown.End()
	if err != nil {
		return err
	}
	return printMbox(t, im)
}

// printMbox prints the result of an import of a mailbox.
func printMbox(t *terminal.Terminal, im api.Import) error {
	for _, f := range im.Failures {
		t.Say("broken: byte %s %s: %s", words.Thousands(int(f.Offset)), terminal.Clean(f.MessageID), terminal.Clean(f.Reason))
	}
	more := im.Failed - len(im.Failures)
	t.SayWhen(more > 0, "… and %s more", words.Thousands(more))
	t.Say("%s: %s inserted, %s updated, %s skipped, %s broken; %s enqueued for a model", words.Count(im.Mails, "mail"),
		words.Thousands(im.Inserted), words.Thousands(im.Updated), words.Thousands(im.Skipped), words.Thousands(im.Failed),
		words.Thousands(im.Enqueued))
	t.NoteWhen(im.Note != "", "%s", im.Note)
	if im.Status == api.ImportFailed {
		t.Note("%s", im.Message)
		return command.ErrReported
	}
	return nil
}
