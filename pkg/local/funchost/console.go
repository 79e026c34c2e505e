package funchost

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// maxConsoleLine bounds one line of handler output. Longer lines are logged in pieces.
const maxConsoleLine = 64 << 10

// lastErrors is the number of lines of stderr that are kept to explain a crash.
const lastErrors = 3

// consoleLevel returns the level at which the host logs a line of handler output: stdout is information; stderr is an
// error unless the line contains "warn".
func consoleLevel(stderr bool, line string) slog.Level {
	switch {
	case !stderr:
		return slog.LevelInfo
	case strings.Contains(strings.ToLower(line), "warn"):
		return slog.LevelWarn
	}
	return slog.LevelError
}

// A lineWriter cuts a stream into lines.
type lineWriter struct {
	emit func(line string)
	mu   sync.Mutex
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 && len(w.rest) < maxConsoleLine {
			return len(p), nil
		}
		if i < 0 || i > maxConsoleLine {
			i = maxConsoleLine
		}
		w.send(w.rest[:i])
		w.rest = bytes.TrimPrefix(w.rest[i:], []byte("\n"))
	}
}

// flush passes on the last line, which has no line break at its end.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send(w.rest)
	w.rest = nil
}

func (w *lineWriter) send(line []byte) {
	if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 {
		w.emit(string(line))
	}
}

// tail keeps the last few lines of a stream.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > lastErrors {
		t.lines = t.lines[1:]
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
