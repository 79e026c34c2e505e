package local

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

func docsCommand(t *terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "Read the documentation of this version",
		Long:  "Print a page of the documentation that belongs to this version, in Markdown, or list the pages.",
		Example: `  tidemark docs
  tidemark docs guide | less`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listDocs(t)
			}
			text, err := tidemark.Docs.ReadFile("docs/" + strings.TrimSuffix(args[0], ".md") + ".md")
			if err != nil {
				return command.Usagef("there is no page %q: `%s docs` lists them", args[0], t.Name)
			}
			_, err = t.Out.Write(text)
			return err
		},
	}
}

// listDocs lists the pages, each with its title.
func listDocs(t *terminal.Terminal) error {
	pages, err := fs.Glob(tidemark.Docs, "docs/*.md")
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := tidemark.Docs.ReadFile(page)
		if err != nil {
			return err
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md")
		if name != "README" {
			fmt.Fprintf(t.Out, "%-16s %s\n", name, title)
		}
	}
	return nil
}
