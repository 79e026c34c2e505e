// Package local has the commands that work on this machine without a server. They run the app, alone or for Azure
// Functions, run Azurite, make the first key, and show the documentation that the program carries.
package local

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// Commands returns start, handler, app, docs, schema, azurite, keys, link and settings.
func Commands(t *terminal.Terminal, s *command.Server, src *app.Sources) []*cobra.Command {
	return []*cobra.Command{
		startCommand(t, src), handlerCommand(), appCommand(t), docsCommand(t), schemaCommand(t), azuriteCommand(t, src.Get),
		keysCommand(t, s, src.Get), linkCommand(t, s), settingsCommand(t, src),
	}
}

const docsHelp = `docs [PAGE]
Read the documentation of this version

Print a page of the documentation that belongs to this version, in Markdown, or list the pages.

  tidemark docs
  tidemark docs guide | less`

func docsCommand(t *terminal.Terminal) *cobra.Command {
	return command.New(docsHelp, cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return listDocs(t)
		}
		text, err := tidemark.Docs.ReadFile("docs/" + strings.TrimSuffix(args[0], ".md") + ".md")
		if err != nil {
			return command.Usagef("there is no page %q: `%s docs` lists them", args[0], t.Name)
		}
		_, err = t.Out.Write(text)
		return err
	})
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

const schemaHelp = `schema rules|sites
Print the schema of a rules file or a site file, for editors

Print the JSON Schema (draft 2020-12) of a file that people write: rules is the
file of rules and channels (RULES_FILE), sites the site file (BACKFILL_SITES_FILE).
With it an editor completes and checks the file while you write. Many editors
read its place from the first line of a YAML file:

  # yaml-language-server: $schema=rules.schema.json

  tidemark schema rules > rules.schema.json`

func schemaCommand(t *terminal.Terminal) *cobra.Command {
	cmd := command.New(schemaHelp, command.One("name"), func(_ context.Context, args []string) error {
		text, err := tidemark.Schemas.ReadFile("schemas/" + args[0] + ".json")
		if err != nil {
			return command.Usagef("there is no schema %q: there are rules and sites", args[0])
		}
		_, err = t.Out.Write(text)
		return err
	})
	cmd.ValidArgs = []string{"rules", "sites"}
	return cmd
}
