package funchost

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
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

// logLine logs one line of handler output. A line that is a record of slog's JSON handler is logged as that record, so
// that the log has one format. Any other line is the text of an entry.
func logLine(log *slog.Logger, stderr bool, line string) {
	ctx := context.Background()
	r, ok := recordOf(line)
	if !ok {
		log.Log(ctx, consoleLevel(stderr, line), "handler says", "line", line)
		return
	}
	if h := log.Handler(); h.Enabled(ctx, r.Level) {
		_ = h.Handle(ctx, r) // as slog itself does
	}
}

// recordOf reads a record that slog's JSON handler has written. Attributes are in the order of the line.
func recordOf(line string) (r slog.Record, ok bool) {
	var head struct {
		Time  time.Time  `json:"time"`
		Level slog.Level `json:"level"`
		Msg   string     `json:"msg"`
	}
	if json.Unmarshal([]byte(line), &head) != nil || head.Time.IsZero() || head.Msg == "" {
		return r, false
	}
	r = slog.NewRecord(head.Time, head.Level, head.Msg, 0)
	d := json.NewDecoder(bytes.NewReader([]byte(line)))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return r, false
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return r, false
		}
		switch key, _ := name.(string); key {
		case slog.TimeKey, slog.LevelKey, slog.MessageKey:
		default:
			r.AddAttrs(slog.Attr{Key: key, Value: valueOf(value)})
		}
	}
	return r, true
}

// valueOf returns a decoded value for a record. An object is a group, its attributes in the order of their names.
func valueOf(v any) slog.Value {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return slog.AnyValue(v)
		}
		var attrs []slog.Attr
		for _, key := range slices.Sorted(maps.Keys(v)) {
			attrs = append(attrs, slog.Attr{Key: key, Value: valueOf(v[key])})
		}
		return slog.GroupValue(attrs...)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return slog.Int64Value(n)
		}
		f, _ := v.Float64() // a number that is too large becomes infinite
		return slog.Float64Value(f)
	default:
		return slog.AnyValue(v)
	}
}
