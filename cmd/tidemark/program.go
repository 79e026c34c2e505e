package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

const defaultServer = "http://localhost:7071"

// program is one run of the command: the world around it and the global flags. Tests put their
// own world in.
type program struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	typed    bool
	screen   screen // what out can show
	notes    screen // what err can show
	http     *http.Client

	self        string // how this command was called; "tidemark" when empty
	server, key string
	json        bool

	began bool // the arguments were right and a command began its work
}

// errReported ends the program with exitFailure when all there is to say has been said.
var errReported = errors.New("reported")

// usageError is wrong usage that only a command itself can notice.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run parses args, does what they say and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.rootCommand()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	_, isUsage := errors.AsType[*usageError](err)
	code, isExit := errors.AsType[exitError](err)
	switch {
	case err == nil:
		return exitOK
	case isExit:
		return int(code)
	case errors.Is(err, errReported):
		return exitFailure
	case ctx.Err() != nil:
		p.note("interrupted")
		return exitInterrupted
	case isUsage || !p.began:
		p.note("%v", err)
		fmt.Fprintf(p.err, "see `%s --help`\n", cmd.CommandPath())
		return exitUsage
	default:
		p.note("%v", err)
		return exitFailure
	}
}

// name is how the user calls this command.
func (p *program) name() string { return cmp.Or(p.self, "tidemark") }

// note writes one message to standard error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintf(p.err, "tidemark: %s\n", cleanLines(fmt.Sprintf(format, args...)))
}

// say writes one line for people to standard output; with --json it writes nothing.
func (p *program) say(format string, args ...any) {
	if !p.json {
		fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// client speaks to the server of the global flags and, with --json, prints its answers.
func (p *program) client() *api.Client {
	c := p.silentClient()
	if !p.json {
		return c
	}
	return c.Tee(func(body []byte) {
		var line bytes.Buffer
		if json.Compact(&line, body) == nil {
			fmt.Fprintln(p.out, line.String())
		}
	})
}

// silentClient is a client whose answers are not printed.
func (p *program) silentClient() *api.Client {
	return api.NewClient(p.server, cmp.Or(p.key, p.getenv("TIDEMARK_KEY")), p.http)
}

// one asks for exactly one argument and calls it by its name.
func one(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("give one %s, not %d", what, len(args))
		}
		return nil
	}
}

const rootLong = `Tidemark keeps a search index true to sources that change.

This command speaks to a running Tidemark, by default the one on this machine.
"tidemark start" runs one here.`

const rootExample = `  tidemark start
  tidemark add https://example.com/handbook
  tidemark status --watch
  tidemark search 'how to calibrate'
  tidemark why url_k7gxn3…`

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "tidemark",
		Short:         "Keep a search index true to sources that change",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			p.began = true
		},
	}
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetIn(p.in)
	root.CompletionOptions.HiddenDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVar(&p.server, "server", cmp.Or(p.getenv("TIDEMARK_SERVER"), defaultServer),
		"address of the server (TIDEMARK_SERVER)")
	flags.StringVar(&p.key, "key", "", "key: a function key in Azure, else one of \"tidemark keys\" (TIDEMARK_KEY)")
	flags.BoolVar(&p.json, "json", false, "print the API's JSON, one answer on a line")
	addVersionFlag(root)
	root.AddCommand(startCommand(p), handlerCommand(), appCommand(p), docsCommand(p), azuriteCommand(p),
		exportCommand(p), importStateCommand(p), addCommand(p),
		addFileCommand(p), reindexCommand(p), rebuildCommand(p), auditCommand(p), migrateCommand(p), keysCommand(p),
		removeCommand(p), watchCommand(p), tagCommand(p), bulkCommand(p),
		searchCommand(p), retrieveCommand(p), textCommand(p), mcpCommand(p), changesCommand(p), diffCommand(p),
		rulesCommand(p),
		channelsCommand(p), deliveriesCommand(p), statusCommand(p), itemsCommand(p),
		showCommand(p), warcCommand(p), importCommand(p), whyCommand(p), backfillCommand(p), sitesCommand(p), entryCommand(p),
		enrichCommand(p), healthCommand(p), versionCommand(p))
	root.AddCommand(backupCommand(p), restoreCommand(p), doctorCommand(p))
	return root
}
