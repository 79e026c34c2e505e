// Package command runs a command line: it parses the arguments, chooses the server to which requests go, and returns
// the exit code. Every command is built on it.
package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
)

// Exit codes.
const (
	OK          = 0
	Failure     = 1
	usage       = 2
	Interrupted = 130
)

// ErrReported ends the command with [Failure] when the errors were already reported.
var ErrReported = errors.New("reported")

// ExitError ends the command with an exit code and without a message.
type ExitError int

// Error returns a text with the exit code.
func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a usage error that only the command itself can detect.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Usagef returns an error about how the command was called. It ends the command with usage.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// Root returns the top command, which has no name of its own and to which all other commands are added. Its flags,
// which all commands share, choose the server and the form of the output.
func Root(t *terminal.Terminal, s *Server) *cobra.Command {
	root := &cobra.Command{Use: "tidemark", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	root.SetIn(t.In)
	flags := root.PersistentFlags()
	flags.StringVar(&s.Address, "server", s.Address, "address of the server (TIDEMARK_SERVER)")
	flags.StringVar(&s.Key, "key", "", "key: a function key in Azure, else one of \"tidemark keys\" (TIDEMARK_KEY); "+
		"none is needed for a server that you run on this machine")
	flags.BoolVar(&t.JSON, "json", false, "print the API's JSON, one answer per line")
	return root
}

// Run parses args, runs the command that they select, reports its error to the user, and returns the exit code.
func Run(ctx context.Context, t *terminal.Terminal, root *cobra.Command, args []string) int {
	began := false // whether the arguments were valid and a command has started
	check := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if began = true; check == nil {
			return nil
		}
		return check(cmd, args)
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	_, isUsage := errors.AsType[*usageError](err)
	code, isExit := errors.AsType[ExitError](err)
	switch {
	case err == nil:
		return OK
	case isExit:
		return int(code)
	case errors.Is(err, ErrReported):
		return Failure
	case ctx.Err() != nil:
		t.Note("interrupted")
		return Interrupted
	case isUsage || !began:
		t.Note("%v", err)
		fmt.Fprintf(t.Err, "see `%s --help`\n", cmd.CommandPath())
		return usage
	default:
		t.Note("%v", err)
		return Failure
	}
}

// DefaultServer is the address of a server without settings of its own.
const DefaultServer = "http://localhost:7071"

// Server is the server that the user chose, by flags or the environment.
type Server struct {
	Address  string
	Key      string // key from the flag
	Tracking string // TRACKING_PARAM_PREFIXES; the ids of the server's sources depend on it
	key      string // key from the environment, which no help text shows
	getenv   func(string) string
	t        *terminal.Terminal
}

// NewServer returns the server that TIDEMARK_SERVER names, or else the one that the settings describe, which is here.
// The flags of [Root] may choose another server.
func NewServer(t *terminal.Terminal, getenv func(string) string, here string) *Server {
	return &Server{Address: cmp.Or(getenv("TIDEMARK_SERVER"), here), key: getenv("TIDEMARK_KEY"),
		Tracking: getenv("TRACKING_PARAM_PREFIXES"), getenv: getenv, t: t}
}

// Client returns a client. With --json, the client prints the server's answers.
func (s *Server) Client() *api.Client {
	c := s.Silent()
	if !s.t.JSON {
		return c
	}
	return c.Tee(func(body []byte) {
		var line bytes.Buffer
		if json.Compact(&line, body) == nil {
			fmt.Fprintln(s.t.Out, line.String())
		}
	})
}

// Silent returns a client that prints nothing.
func (s *Server) Silent() *api.Client { return s.At(s.Address) }

// At returns a client of the server at another address, which prints nothing. Without a key of the user's, the client
// has the one that a server on this machine keeps for its own user.
func (s *Server) At(address string) *api.Client {
	if key := cmp.Or(s.Key, s.key); key != "" {
		return api.NewClient(address, key, nil)
	}
	return keyfile.Client(s.getenv, address)
}

// One requires exactly one argument. The error for a missing argument calls it by the given word.
func One(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usagef("give one %s, not %d", what, len(args))
		}
		return nil
	}
}

// Some requires at least one argument. The error for missing arguments calls them by the given word.
func Some(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("give at least one %s", what)
		}
		return nil
	}
}

// hostValue is a flag whose value is a host. It converts the host to lower case, the stored form, because people
// write hosts in any case (RFC 3986 section 3.2.2).
type hostValue string

var _ pflag.Value = (*hostValue)(nil)

func (h *hostValue) String() string { return string(*h) }
func (h *hostValue) Type() string   { return "HOST" }
func (h *hostValue) Set(text string) error {
	*h = hostValue(strings.ToLower(strings.TrimSpace(text)))
	return nil
}

// HostFlag adds --host to f.
func HostFlag(f *pflag.FlagSet, host *string, usage string) {
	f.Var((*hostValue)(host), "host", usage)
}

// Waiting says whether a command waits until the server has done its work, and how often it polls meanwhile.
type Waiting struct {
	Wait     bool
	Interval time.Duration
}

// Flags adds --wait, and the flag for the interval.
func (w *Waiting) Flags(f *pflag.FlagSet) {
	f.BoolVarP(&w.Wait, "wait", "w", false, "wait until it is done")
	f.DurationVar(&w.Interval, "interval", time.Second, "how often --wait polls")
}

// CheckInterval refuses an interval between polls that is too short.
func CheckInterval(d time.Duration) error {
	if d < 100*time.Millisecond || d > time.Hour {
		return Usagef("--interval is %s: give 100ms to 1h", d)
	}
	return nil
}

// ParsePort parses a port that was given as text. The error contains the name of the setting or flag, so that the
// user can find a wrong port in the environment.
func ParsePort(name, text string, highest int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > highest {
		return 0, Usagef("%s is %q: give a port of 1 to %d", name, text, highest)
	}
	return n, nil
}
