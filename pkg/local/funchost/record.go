package funchost

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"time"
)

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
