package client

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const importMboxLong = `Import the mails of an mbox file into the entries, each once.

The file is named by its path below the server's EMAIL_IMPORT_ROOT, a folder or a
blob container. Broken mails are skipped and listed at the end. The import continues
on the server when this command is interrupted. Importing a file again does no harm.`

const importMboxExample = `  tidemark import mbox inbox.mbox
  tidemark import mbox --batch-size 2000 2024/archive.mbox`

func importCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := importListCommand(t, s)
	cmd.AddCommand(importMboxCommand(t, s))
	return cmd
}

func importMboxCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var batch, chunk int
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "mbox PATH",
		Short:   "Import the mails of an mbox file",
		Long:    importMboxLong,
		Example: importMboxExample,
		Args:    command.One("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			return importMbox(cmd.Context(), t, s, req, interval)
		},
	}
	f := cmd.Flags()
	f.IntVar(&batch, "batch-size", 500, "entries of a batch for a model, 500 to 2000")
	f.IntVar(&chunk, "chunk-size", 200, "mails that are inserted together, 1 to 500")
	f.DurationVar(&interval, "interval", time.Second, "how often to poll the import")
	return cmd
}

// importMbox starts an import of a mailbox and follows it to its end.
func importMbox(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.ImportRequest,
	interval time.Duration) error {
	began := t.Now()
	im, err := api.ImportMbox.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	if im, err = awaitImport(ctx, t, s, im, interval, began); err != nil {
		return err
	}
	for _, f := range im.Failures {
		t.Say("broken: byte %s %s: %s", words.Thousands(int(f.Offset)), terminal.Clean(f.MessageID), terminal.Clean(f.Reason))
	}
	if more := im.Failed - len(im.Failures); more > 0 {
		t.Say("… and %s more", words.Thousands(more))
	}
	t.Say("%s: %s inserted, %s updated, %s skipped, %s broken; %s enqueued for a model", words.Count(im.Mails, "mail"),
		words.Thousands(im.Inserted), words.Thousands(im.Updated), words.Thousands(im.Skipped), words.Thousands(im.Failed),
		words.Thousands(im.Enqueued))
	if im.Note != "" {
		t.Note("%s", im.Note)
	}
	if im.Status == api.ImportFailed {
		t.Note("%s", im.Message)
		return command.ErrReported
	}
	return nil
}

// awaitImport follows an import to its end.
func awaitImport(ctx context.Context, t *terminal.Terminal, s *command.Server, im api.Import, interval time.Duration,
	began time.Time) (api.Import, error) {
	shown := t.Bar(int(max(im.Size, 1)), "importing")
	defer shown.End()
	client, last := s.Client(), im
	err := terminal.Follow(ctx, t, interval, terminal.After(im, func() (api.Import, error) {
		return api.GetImport.Call(ctx, client, api.ImportID{ID: im.ID})
	}), func(now api.Import) bool {
		rate := float64(now.Mails) / max(t.Now().Sub(began).Seconds(), 1)
		shown.Describe(fmt.Sprintf("%s, %.0f/s, %s broken", words.Count(now.Mails, "mail"), rate,
			words.Thousands(now.Failed)))
		shown.At(int(now.Bytes))
		last = now
		return now.Over()
	})
	return last, err
}
