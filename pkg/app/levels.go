package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// byLevel writes warnings and errors to the handler bad, and all other lines to the handler rest. The host logs a
// line on stdout as information. It logs a line on stderr as an error, or as a warning if the line contains "warn",
// as lines of that level do.
type byLevel struct{ rest, bad slog.Handler }

func newByLevel(rest, bad io.Writer) slog.Handler {
	o := &slog.HandlerOptions{ReplaceAttr: keys.RedactAttr}
	return byLevel{slog.NewJSONHandler(rest, o), slog.NewJSONHandler(bad, o)}
}

func (h byLevel) Enabled(ctx context.Context, level slog.Level) bool {
	return h.rest.Enabled(ctx, level)
}

func (h byLevel) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		return h.bad.Handle(ctx, r)
	}
	return h.rest.Handle(ctx, r)
}

func (h byLevel) WithAttrs(attrs []slog.Attr) slog.Handler {
	return byLevel{h.rest.WithAttrs(attrs), h.bad.WithAttrs(attrs)}
}

func (h byLevel) WithGroup(name string) slog.Handler {
	return byLevel{h.rest.WithGroup(name), h.bad.WithGroup(name)}
}
