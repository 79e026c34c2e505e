package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

const azuriteHelp = `azurite [flags] [-- COMMAND ARGS…]
Run Azurite, alone or as the storage of a command

Run Azurite, the local emulator of Azure Storage, as "tidemark start" does for
STORAGE=azurite.

With a command, run it with AzureWebJobsStorage set to that storage, and stop Azurite
when the command ends; the exit code is the command's. Without a command, print the
settings to use and run until Ctrl-C.

  tidemark azurite
  tidemark azurite -- func start --script-root build/app
  tidemark azurite --data /var/tmp/tidemark -- go run ./experiment`

// commandGrace limits the time that a command may take to end after it has received a signal.
const commandGrace = 30 * time.Second

// errLost is the reason given when a command is stopped because its Azurite has ended.
var errLost = errors.New("azurite ended")

func azuriteCommand(t *terminal.Terminal, getenv func(string) string) *cobra.Command {
	var cmd *cobra.Command
	run := func(ctx context.Context, o folder.Options, args []string) error {
		if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
			return command.Usagef("put -- before the command, so that its flags are its own")
		}
		return runAzurite(ctx, t, getenv, o, args, folder.Real)
	}
	cmd = folder.Command(azuriteHelp, nil, getenv, run)
	return cmd
}

// runAzurite starts Azurite, runs the command, and then stops Azurite. Without a command, it waits until ctx ends.
func runAzurite(ctx context.Context, t *terminal.Terminal, getenv func(string) string, o folder.Options, line []string,
	s folder.Services) error {
	tell := t.Say
	if len(line) > 0 {
		tell = t.Note // standard output is for the command's own output
		// This check comes first, so that a mistyped name is reported without waiting for Azurite.
		if _, err := exec.LookPath(line[0]); err != nil {
			return err
		}
	}
	e := folder.New(o, "", getenv, s, tell)
	if err := e.Open(slog.LevelWarn, t.Err); err != nil {
		return err
	}
	defer e.Close()
	if err := e.StartAzurite(ctx); err != nil {
		return started(ctx, err)
	}
	defer e.StopAzurite()
	if len(line) > 0 {
		return execute(ctx, t, e, line)
	}
	return idle(ctx, e, tell)
}

// idle prints the settings and waits.
func idle(ctx context.Context, e *folder.Folder, tell func(string, ...any)) error {
	tell("\nAzurite runs. To use it, in another terminal:\n")
	for _, s := range e.Settings() {
		tell("  export %s=%s", s.Name, terminal.Quote(s.Value))
	}
	tell("\nCtrl-C stops it.")
	select {
	case <-ctx.Done():
		tell("")
		return nil
	case <-e.AzuriteEnded():
		return e.ErrAzuriteLost()
	}
}

// execute runs the command until it ends. The end of ctx or of Azurite stops it earlier.
func execute(ctx context.Context, t *terminal.Terminal, e *folder.Folder, line []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-e.AzuriteEnded():
			cancel(errLost)
		case <-ctx.Done():
		}
	}()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = t.In, t.Out, t.Err, e.Environment()
	cmd.WaitDelay = commandGrace
	cmd.Cancel = func() error { return endCommand(t, cmd.Process, context.Cause(ctx)) }
	err := cmd.Run()
	switch {
	case context.Cause(ctx) == errLost:
		return e.ErrAzuriteLost() // Azurite may end before the command has started
	case cmd.ProcessState == nil:
		return started(ctx, err) // the command did not start
	default:
		return exited(cmd.ProcessState)
	}
}

// endCommand asks a command to end. It sends the signal that ended the context.
func endCommand(t *terminal.Terminal, process *os.Process, cause error) error {
	var sig os.Signal = syscall.SIGTERM
	if got, ok := errors.AsType[command.Interruption](cause); ok {
		sig = got.Signal
	}
	if sig == os.Interrupt && (t.Screen.Terminal || t.Notes.Terminal) {
		// The terminal has already sent the signal. Many programs treat a second Ctrl-C as a request to end at once.
		return nil
	}
	if err := process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return process.Kill() // Windows has no signals
	}
	return nil
}

// exited returns nil for success. For a command that died of a signal it returns the exit code that shells use.
func exited(s *os.ProcessState) error {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return command.ExitError(128 + int(status.Signal()))
	}
	if s.ExitCode() != 0 {
		return command.ExitError(s.ExitCode())
	}
	return nil
}
