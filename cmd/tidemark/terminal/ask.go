package terminal

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// Asker puts questions to a person.
type Asker struct {
	t  *Terminal
	in *bufio.Reader
}

// Asking begins to ask. Until done, a read of the terminal fails for a process in the background instead of
// stopping it.
func (t *Terminal) Asking() (a *Asker, done func()) {
	return &Asker{t, bufio.NewReader(t.In)}, ignoreTerminalStops()
}

// Ask returns one line without its spaces at either end. It is "" where the person has entered nothing, or the
// input has ended.
func (a *Asker) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.t.Out, question)
	line := make(chan string, 1)
	go func() {
		text, _ := a.in.ReadString('\n') // an input that has ended says nothing
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
