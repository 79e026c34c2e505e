package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// New returns a command with the help text that is given: a line with the name and the arguments,
// a line that says what the command does, and then, each after an empty line, what else is to be
// known, and the examples. Examples are indented.
func New(help string, args cobra.PositionalArgs, run func(context.Context, []string) error) *cobra.Command {
	use, rest, _ := strings.Cut(help, "\n")
	short, long, _ := strings.Cut(rest, "\n\n")
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: args}
	if at := strings.LastIndex("\n\n"+long, "\n\n"); strings.HasPrefix(long[at:], "  ") {
		cmd.Long, cmd.Example = strings.TrimSuffix(long[:at], "\n\n"), long[at:]
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }
	return cmd
}

// Group returns a command that only has other commands, and shows its help.
func Group(help string, of ...*cobra.Command) *cobra.Command {
	cmd := New(help, cobra.NoArgs, nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(of...)
	return cmd
}
