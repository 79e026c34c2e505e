package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

const azuriteLong = `Run Azurite, the local double of Azure Storage, as "tidemark start" does for
STORAGE=azurite.

With a command, run it with AzureWebJobsStorage set to that storage, and stop
Azurite when it has ended; the exit code is the command's. Without one, print the
settings to use and run until Ctrl-C.`

const azuriteExample = `  tidemark azurite
  tidemark azurite -- func start --script-root build/app
  tidemark azurite --data /var/tmp/tidemark -- go run ./experiment`

// commandGrace is how long a command may take to end when it was told to.
const commandGrace = 30 * time.Second

// errLost is why a command is told to end when Azurite has.
var errLost = errors.New("azurite ended")

func azuriteCommand(p *program) *cobra.Command {
	var o emulatorOptions
	var read func() error
	cmd := &cobra.Command{
		Use:     "azurite [flags] [-- COMMAND ARGS…]",
		Short:   "Run a command, or nothing, with Azurite as its storage",
		Long:    azuriteLong,
		Example: azuriteExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return usagef("put -- before the command, so that its flags are its own")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := read(); err != nil {
				return err
			}
			return runAzurite(cmd.Context(), p, o, args, launchAzurite)
		},
	}
	read = emulatorFlags(p, cmd.Flags(), &o)
	return cmd
}

// azurite starts Azurite, runs the command, or nothing until ctx ends, and stops Azurite.
func runAzurite(ctx context.Context, p *program, o emulatorOptions, command []string, launch launcher) error {
	e := &emulation{p: p, options: o, launch: launch, tell: p.say}
	run := e.idle
	if len(command) > 0 {
		// Checked first: who mistyped a name should not wait for Azurite to learn it.
		if _, err := exec.LookPath(command[0]); err != nil {
			return err
		}
		e.tell = p.note // standard output is the command's
		run = func(ctx context.Context) error { return e.execute(ctx, command) }
	}
	if err := e.open(slog.LevelWarn, azuriteLock); err != nil {
		return err
	}
	defer e.close()
	if err := e.start(ctx); err != nil {
		return started(ctx, err)
	}
	defer e.stop()
	return run(ctx)
}

// idle shows the settings and waits.
func (e *emulation) idle(ctx context.Context) error {
	e.tell("\nAzurite runs. To use it, in another terminal:\n")
	for _, s := range e.decided() {
		e.tell("  export %s=%s", s.name, quote(s.value))
	}
	e.tell("\nCtrl-C stops it.")
	select {
	case <-ctx.Done():
		e.tell("")
		return nil
	case <-e.ended():
		return e.lost()
	}
}

// quote makes text one word for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// execute runs the command to its end, which an end of ctx or of Azurite brings about sooner.
func (e *emulation) execute(ctx context.Context, command []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-e.ended():
			cancel(errLost)
		case <-ctx.Done():
		}
	}()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = e.p.in, e.p.out, e.p.err, e.environment()
	cmd.WaitDelay = commandGrace
	cmd.Cancel = func() error { return e.end(cmd.Process, context.Cause(ctx)) }
	err := cmd.Run()
	switch {
	case context.Cause(ctx) == errLost:
		return e.lost() // perhaps before the command had begun
	case cmd.ProcessState == nil:
		return started(ctx, err) // it did not begin
	default:
		return exited(cmd.ProcessState)
	}
}

// end tells a command to end, by the signal that we got.
func (e *emulation) end(process *os.Process, cause error) error {
	var sig os.Signal = syscall.SIGTERM
	if got, ok := errors.AsType[interruption](cause); ok {
		sig = got.Signal
	}
	if sig == os.Interrupt && (e.p.screen.terminal || e.p.notes.terminal) {
		return nil // the terminal has told it; many programs take a second Ctrl-C for impatience
	}
	if err := process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return process.Kill() // Windows has no signals
	}
	return nil
}

// exitError ends the program with the exit code of a command, without a word: it has spoken.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exited is nil for success. A command that died of a signal has the exit code that shells give it.
func exited(s *os.ProcessState) error {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitError(128 + int(status.Signal()))
	}
	if s.ExitCode() != 0 {
		return exitError(s.ExitCode())
	}
	return nil
}
