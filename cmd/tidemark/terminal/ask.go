package terminal

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

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
