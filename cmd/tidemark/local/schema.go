package local

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

const schemaLong = `Print the JSON Schema (draft 2020-12) of a file that people write: rules is the
file of rules and channels (RULES_FILE), sites the site file (BACKFILL_SITES_FILE).
With it an editor completes and checks the file while you write. Many editors
read its place from the first line of a YAML file:

  # yaml-language-server: $schema=rules.schema.json`

func schemaCommand(t *terminal.Terminal) *cobra.Command {
	names := []string{"rules", "sites"}
	return &cobra.Command{
		Use:       "schema rules|sites",
		Short:     "Print the schema of a rules file or a site file, for editors",
		Long:      schemaLong,
		Example:   "  tidemark schema rules > rules.schema.json",
		Args:      command.One("name"),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := tidemark.Schemas.ReadFile("schemas/" + args[0] + ".json")
			if err != nil {
				return command.Usagef("there is no schema %q: there are rules and sites", args[0])
			}
			_, err = t.Out.Write(text)
			return err
		},
	}
}
