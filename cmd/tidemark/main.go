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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/client"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/local"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/defaults"
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
	ctx, stop := command.UntilSignal(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
		Sleep:  defaults.Pause,
	}, os.Getenv, os.Args[1:])
}

// run runs the command that args select, and returns its exit code.
func run(ctx context.Context, t *terminal.Terminal, getenv func(string) string, args []string) int {
	src := app.ReadSources(getenv, os.Environ(), dataOf(args))
	top := root(t, src)
	top.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return needed(cmd, src.Err) }
	return command.Run(ctx, t, top, args)
}

// dataOf returns the data folder that the arguments name, because the settings file in it has the defaults of flags.
func dataOf(args []string) (data string) {
	for i, arg := range args {
		value, is := strings.CutPrefix(arg, "--data=")
		switch {
		case arg == "--", arg == "--exec": // what follows is for another program
			return data
		case is:
			data = value
		case arg == "--data" && i+1 < len(args):
			data = args[i+1]
		}
	}
	return data
}

// needed returns the error of the settings file, if a command needs the file. Commands that only speak to a server do
// without a file that another user owns.
func needed(cmd *cobra.Command, err error) error {
	local := cmd.Flags().Lookup("data") != nil
	creates := cmd.CommandPath() == "tidemark settings set" && errors.Is(err, fs.ErrNotExist)
	if creates || slices.Contains(withoutFile, cmd.Name()) || !local && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// withoutFile are the commands that need no settings file, or report what is wrong with it themselves.
var withoutFile = []string{"start", "doctor", "handler", "app", "docs", "schema", "completion", "bash", "zsh", "fish",
	"powershell", "help", "version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

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
func root(t *terminal.Terminal, src *app.Sources) *cobra.Command {
	getenv := src.Get
	s := command.NewServer(t, getenv, local.Here(getenv))
	root := command.Root(t, s)
	root.Short = "Watch sources, report changes, and keep a search index up to date"
	root.Long, root.Example = rootLong, rootExample
	addVersionFlag(root)
	root.AddCommand(local.Commands(t, s, src)...)
	root.AddCommand(client.Commands(t, s, getenv("USER"))...)
	root.AddCommand(local.MoveCommands(t, getenv, thisBuild().Version)...)
	root.AddCommand(local.DoctorCommand(t, s, src), versionCommand(t))
	group(root)
	return root
}

// groups are the groups in which help lists the commands, with the names of the commands of each.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"everyday", "Everyday:", []string{
		"add", "watch", "changes", "diff", "search", "retrieve", "text", "items", "show", "fields", "why", "memory",
		"offers", "pick", "accept", "reindex", "remove", "undo", "tag", "rules", "channels", "status",
	}},
	{"runs", "Runs over many sources:", []string{
		"sites", "backfill", "import", "add-file", "entry", "bulk", "enrich", "rebuild", "generations", "migrate",
		"audit", "warc",
	}},
	{"operating", "Operating:", []string{
		"doctor", "health", "failures", "settings", "deliveries", "keys", "link", "backup", "restore", "export",
		"import-state",
	}},
	{"server", "Servers and programs:", []string{
		"start", "handler", "app", "azurite", "mcp", "sync", "docs", "schema", "completion", "help", "version",
	}},
}

// group puts every command of root into the group that names it.
func group(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			of[name] = g.id
		}
	}
	for _, c := range root.Commands() {
		c.GroupID = of[c.Name()]
	}
	root.SetHelpCommandGroupID(of["help"])
	root.SetCompletionCommandGroupID(of["completion"])
}

// The linker sets version and commit in a release (-X main.version=… -X main.commit=…). The toolchain's own record of
// the repository is not used, so that the same sources give the same bytes even outside a repository.
var version, commit string

// build describes the sources and tools of this binary.
type build struct {
	Version string `json:"version"` // as SemVer; ends in -dev when not a release
	Commit  string `json:"commit"`  // "unknown" when built outside a repository
	Go      string `json:"go"`
}

const versionHelp = `version
Print the version of this command, its commit and its Go version

  tidemark version`

func versionCommand(t *terminal.Terminal) *cobra.Command {
	return command.New(versionHelp, cobra.NoArgs, func(context.Context, []string) error {
		t.Say("%s", versionLine())
		if t.JSON {
			return json.NewEncoder(t.Out).Encode(thisBuild())
		}
		return nil
	})
}

// addVersionFlag adds the flag --version, which prints the same text as the version command.
func addVersionFlag(root *cobra.Command) {
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	// The flag is defined here, because otherwise cobra would give it the short form -v, which the start command uses
	// for --verbose.
	root.Flags().Bool("version", false, "print the version of this command")
}

func versionLine() string {
	b := thisBuild()
	return fmt.Sprintf("tidemark %s (commit %s, %s, %s/%s)", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
}

func thisBuild() build {
	b := build{Version: cmp.Or(version, app.Version+"-dev"), Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	b.Commit = cmp.Or(b.Commit, "unknown")
	return b
}
