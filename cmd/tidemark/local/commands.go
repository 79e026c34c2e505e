// Package local has the commands that work on this machine without a server. They run the app, alone or for Azure
// Functions, run Azurite, make the first key, and show the documentation that the program carries.
package local

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// Commands returns start, handler, app, docs, schema, azurite and keys.
func Commands(t *terminal.Terminal, s *command.Server, getenv func(string) string) []*cobra.Command {
	return []*cobra.Command{
		startCommand(t, getenv), handlerCommand(), appCommand(t), docsCommand(t), schemaCommand(t), azuriteCommand(t, getenv),
		keysCommand(t, s, getenv),
	}
}
