// Command tidemark is all of Tidemark: the server for one machine, the handler that a Functions host starts, and the
// operator's tool for both. The tool registers sources, searches, and shows what happened to each source and why.
//
// Output for people goes to standard output, and errors go to standard error. With --json the output is the API's
// answers, one per line, and nothing else. The exit code is 0 for success, 1 for a failure, 2 for wrong usage and 130
// after an interrupt. "tidemark azurite" returns the exit code of the command it runs.
package main

import (
	"cmp"
	"context"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/client"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/local"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/content/document"
	_ "golang.org/x/crypto/x509roots/fallback" // for machines without certificates of their own, such as empty images
	"golang.org/x/term"
)

func main() {
	document.Main()
	if local.IsHandler(os.Args[0]) {
		app.Serve(app.NoExport)
	}
	os.Exit(mainExit())
}

// mainExit exists so that deferred calls run before the process ends.
func mainExit() int {
	ctx, stop := command.UntilSignal(os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, &terminal.Terminal{
		In:     os.Stdin,
		Out:    os.Stdout,
		Err:    os.Stderr,
		Screen: terminal.ScreenOf(os.Stdout, os.Getenv),
		Notes:  terminal.ScreenOf(os.Stderr, os.Getenv),
		Typed:  term.IsTerminal(int(os.Stdin.Fd())),
		Pager:  cmp.Or(os.Getenv("PAGER"), "less -FRX"), // which exits by itself when the text fits on the screen
		Name:   os.Args[0],
		Now:    time.Now,
		Sleep:  wallclock.Pause,
	}, os.Getenv, os.Args[1:])
}

// run runs the command that args select, and returns its exit code.
func run(ctx context.Context, t *terminal.Terminal, getenv func(string) string, args []string) int {
	return command.Run(ctx, t, root(t, getenv), args)
}

const rootLong = `Tidemark watches pages and files, reports what changes, and keeps a search index of
them up to date.

This command talks to a running Tidemark, by default the one on this machine.
"tidemark start" runs one here.`

const rootExample = `  tidemark start
  tidemark add https://example.com/handbook
  tidemark status --watch
  tidemark search 'how to calibrate'
  tidemark why url_k7gxn3…`

// root returns the command that has all commands below it.
func root(t *terminal.Terminal, getenv func(string) string) *cobra.Command {
	s := command.NewServer(t, getenv)
	root := command.Root(t, s)
	root.Short = "Watch sources, report changes, and keep a search index up to date"
	root.Long, root.Example = rootLong, rootExample
	addVersionFlag(root)
	root.AddCommand(local.Commands(t, s, getenv)...)
	root.AddCommand(client.Commands(t, s, getenv("USER"))...)
	root.AddCommand(local.MoveCommands(t, getenv, thisBuild().Version)...)
	root.AddCommand(local.DoctorCommand(t, s, getenv), versionCommand(t))
	group(root)
	return root
}
