package client

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

const addFileHelp = `add-file PATH…
Register files, folders, blobs or containers to be read, indexed and watched

Register files. Each is read soon, indexed, and watched from then on.

A file is named by a path on the server's machine, below its FILE_ROOT, or by the
address of a blob or of a file in an Azure Files share. The address of a blob
container or the path of a folder adds all that is in it: new files are added,
changed ones are read again, and deleted ones leave the index. A folder is listed
each hour, or as often as the interval of its item says.
Hidden files are left out, and symbolic links are not followed. Secrets in an address
are not stored: name a credential instead, which is a setting of the server.

  tidemark add-file /srv/docs/manual.pdf reports/*.docx
  tidemark add-file /srv/docs --include '*.md' --include '*.pdf' --exclude drafts/
  tidemark add-file --credential DOCS https://acct.blob.core.windows.net/docs/manual.pdf
  tidemark add-file --credential DOCS https://acct.blob.core.windows.net/docs
  find /srv/docs -name '*.pdf' | tidemark add-file --file -`

func addFileCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var file string
	var o api.AddOptions
	var files *changes
	cmd := command.New(addFileHelp, nil, func(ctx context.Context, args []string) error {
		chosen, err := files.patch()
		if err != nil {
			return err
		}
		if len(chosen) > 0 {
			o.Patch = api.Patch{"files": chosen}
		}
		a := &adding{t: t, options: o, noun: "file"}
		a.send = func(ctx context.Context, paths []string, o api.AddOptions) (api.AddURLBatch, error) {
			paths, err := absolute(paths)
			if err != nil {
				return api.AddURLBatch{}, err
			}
			return s.Client().AddFiles(ctx, paths, o)
		}
		return a.run(ctx, args, file)
	})
	cmd.Flags().StringVarP(&file, "file", "f", "", "read paths from `FILE`, one per line; - is standard input")
	addFlags(cmd, &o)
	files = changesOf(cmd.Flags(), form.Of[api.Files]())
	return cmd
}

// absolute resolves relative paths, because the server does not know the working directory of this process.
func absolute(paths []string) ([]string, error) {
	out := make([]string, len(paths))
	for i, path := range paths {
		if out[i] = path; strings.Contains(path, "://") || filepath.IsAbs(path) {
			continue
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out[i] = abs
	}
	return out, nil
}
