// Package local is what Tidemark does on this machine without asking a server: it runs the app, alone or for Azure
// Functions, runs Azurite, makes the first key, and shows the documentation that it carries.
package local

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// Commands are start, handler, app, docs, azurite and keys.
func Commands(t *terminal.Terminal, s *command.Server, getenv func(string) string) []*cobra.Command {
	return []*cobra.Command{
		startCommand(t, getenv), handlerCommand(), appCommand(t), docsCommand(t), azuriteCommand(t, getenv),
		keysCommand(t, s, getenv),
	}
}
