// Package terminal writes the output of commands for people and for programs, and asks people questions. Text of
// unknown hosts that goes through [Clean] can neither control a terminal nor break a line.
//
// People read standard output. Messages about the work, and errors, go to standard error. With --json, standard
// output has only the API's answers.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Terminal has the input and outputs of one run of the command, and its clock. Tests replace them.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Screen   Screen // what Out can show
	Notes    Screen // what Err can show
	Typed    bool   // whether a person types the input
	JSON     bool   // whether a program reads the output
	Pager    string // the command that shows long texts; "cat" for none
	Name     string // the name by which the user called this command
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
}

// Open opens a file for reading; "-" is the input of the terminal.
func (t *Terminal) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(t.In), nil
	}
	return os.Open(name)
}

// Note writes one message to standard error.
func (t *Terminal) Note(format string, args ...any) {
	fmt.Fprintf(t.Err, "tidemark: %s\n", CleanLines(fmt.Sprintf(format, args...)))
}

// Say writes one line for people to standard output. With --json it writes nothing.
func (t *Terminal) Say(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintf(t.Out, format+"\n", args...)
	}
}

// SayWhen does the same as [Terminal.Say] if yes is true, and nothing otherwise.
func (t *Terminal) SayWhen(yes bool, format string, args ...any) {
	if yes {
		t.Say(format, args...)
	}
}

// NoteWhen does the same as [Terminal.Note] if yes is true, and nothing otherwise.
func (t *Terminal) NoteWhen(yes bool, format string, args ...any) {
	if yes {
		t.Note(format, args...)
	}
}

// When returns a text if yes is true, and "" otherwise.
func When(yes bool, format string, args ...any) string {
	if !yes {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Join joins the texts that are not empty.
func Join(sep string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" }), sep)
}

// OnChange returns a function that prints a text unless it equals the previous one.
func (t *Terminal) OnChange() func(text string) {
	shown := ""
	return func(text string) {
		t.SayWhen(text != shown, "%s", text)
		shown = text
	}
}

// Quote quotes text as one word for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Asker asks a person questions.
type Asker struct {
	t  *Terminal
	in *bufio.Reader
}

// Asking returns an Asker for the terminal. Normally, a process in the background that reads the terminal is stopped.
// Until done is called, the read fails instead.
func (t *Terminal) Asking() (a *Asker, done func()) {
	return &Asker{t, bufio.NewReader(t.In)}, ignoreTerminalStops()
}

// Ask returns one line without leading and trailing spaces. It returns "" when the line is empty or the input has
// ended.
func (a *Asker) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.t.Out, question)
	line := make(chan string, 1)
	go func() {
		text, _ := a.in.ReadString('\n') // an ended input gives an empty answer
		line <- strings.TrimSpace(text)
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.t.Out)
		return "", ctx.Err()
	case text := <-line:
		return text, nil
	}
}

// Paged shows the output of do in the pager when a person reads it on a terminal. If the pager cannot be started, the
// output is printed directly.
func (t *Terminal) Paged(ctx context.Context, do func() error) error {
	pager := strings.Fields(t.Pager)
	if !t.Screen.Terminal || t.JSON || len(pager) == 0 || pager[0] == "cat" {
		return do()
	}
	path, err := exec.LookPath(pager[0])
	if err != nil {
		return do()
	}
	cmd := exec.CommandContext(ctx, path, pager[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return do()
	}
	out := t.Out
	t.Out = in
	err = do()
	t.Out = out
	_ = in.Close()
	if errors.Is(err, syscall.EPIPE) {
		err = nil // the user closed the pager before the end
	}
	return errors.Join(err, cmd.Wait())
}

// patience is the number of polls in a row that may fail before [Follow] gives up. The first poll must succeed, so
// that a wrong address is reported at once.
const patience = 5

// Follow polls until over reports the end. After the first poll, the server may be unreachable for a while, as during
// an update.
func Follow[T any](ctx context.Context, t *Terminal, interval time.Duration, poll func() (T, error),
	over func(T) bool) error {
	failed := -1 // failed polls in a row; -1 before the first success
	for {
		switch now, err := poll(); {
		case err == nil:
			if failed = 0; over(now) {
				return nil
			}
		case ctx.Err() != nil || failed < 0 || failed+1 >= patience:
			return err
		default:
			failed++
		}
		if err := t.Sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// After returns a function whose first call returns the value first. Each later call polls.
func After[T any](first T, poll func() (T, error)) func() (T, error) {
	known := true
	return func() (T, error) {
		if known {
			known = false
			return first, nil
		}
		return poll()
	}
}
