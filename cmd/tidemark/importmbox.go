package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const importMboxLong = `Import the mails of an mbox file into the entries, each once.

The file is named by its path below the server's EMAIL_IMPORT_ROOT, a folder or a
blob container. Broken mails are passed over and listed in the end. The import goes
on by itself, also when this command is interrupted; importing a file again does no
harm.`

const importMboxExample = `  tidemark import mbox inbox.mbox
  tidemark import mbox --batch-size 2000 2024/archive.mbox`

func (p *program) importCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "import", Short: "Bring many entries in from a file", Long: importMboxLong, Example: importMboxExample, Args: cobra.NoArgs}
	cmd.AddCommand(p.importMboxCommand())
	return cmd
}

func (p *program) importMboxCommand() *cobra.Command {
	var batch, chunk int
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "mbox PATH",
		Short:   "Import the mails of an mbox file",
		Long:    importMboxLong,
		Example: importMboxExample,
		Args:    one("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if interval < 100*time.Millisecond || interval > time.Hour {
				return usagef("--interval is %s: give 100ms to 1h", interval)
			}
			req := api.ImportRequest{MboxPath: args[0]}
			if cmd.Flags().Changed("batch-size") {
				req.BatchSize = &batch
			}
			if cmd.Flags().Changed("chunk-size") {
				req.InsertChunkSize = &chunk
			}
			return p.importMbox(cmd.Context(), req, interval)
		},
	}
	f := cmd.Flags()
	f.IntVar(&batch, "batch-size", 500, "entries of a batch for a model, 500 to 2000")
	f.IntVar(&chunk, "chunk-size", 200, "mails that are inserted together, 1 to 500")
	f.DurationVar(&interval, "interval", time.Second, "how often it looks how far the import is")
	return cmd
}

// importMbox follows an import to its end.
func (p *program) importMbox(ctx context.Context, req api.ImportRequest, interval time.Duration) error {
	began := p.now()
	im, err := p.client().ImportMbox(ctx, req)
	if err != nil {
		return err
	}
	if im, err = p.awaitImport(ctx, im, interval, began); err != nil {
		return err
	}
	for _, f := range im.Failures {
		p.say("broken: byte %s %s: %s", thousands(int(f.Offset)), clean(f.MessageID), clean(f.Reason))
	}
	if more := im.Failed - len(im.Failures); more > 0 {
		p.say("… and %s more", thousands(more))
	}
	p.say("%s: %s inserted, %s updated, %s skipped, %s broken; %s enqueued for a model", count(im.Mails, "mail"),
		thousands(im.Inserted), thousands(im.Updated), thousands(im.Skipped), thousands(im.Failed), thousands(im.Enqueued))
	if im.Note != "" {
		p.note("%s", im.Note)
	}
	if im.Status == api.ImportFailed {
		p.note("%s", im.Message)
		return errReported
	}
	return nil
}

// awaitImport looks again and again. Between its looks the server may be away for a while.
func (p *program) awaitImport(ctx context.Context, im api.Import, interval time.Duration, began time.Time) (api.Import, error) {
	show, end := p.importBar(im, began)
	defer end()
	client, failed := p.client(), 0
	for !im.Over() {
		show(im)
		if err := p.sleep(ctx, interval); err != nil {
			return im, err
		}
		next, err := client.Import(ctx, im.ID)
		switch {
		case err == nil:
			im, failed = next, 0
		case ctx.Err() != nil || failed+1 >= patience:
			return im, err
		default:
			failed++
		}
	}
	return im, nil
}

// importBar shows on the terminal, if there is one, how much of the file is through.
func (p *program) importBar(im api.Import, began time.Time) (show func(api.Import), end func()) {
	if !p.notes.terminal {
		return func(api.Import) {}, func() {}
	}
	bar := newBar(p.err, int(max(im.Size, 1)), "importing", p.notes)
	show = func(im api.Import) {
		rate := float64(im.Mails) / max(p.now().Sub(began).Seconds(), 1)
		bar.Describe(fmt.Sprintf("%s, %.0f/s, %s broken", count(im.Mails, "mail"), rate, thousands(im.Failed)))
		_ = bar.Set(int(im.Bytes)) // a bar that cannot be drawn is no failure of the import
	}
	return show, func() { _ = bar.Exit(); _ = bar.Clear() }
}
