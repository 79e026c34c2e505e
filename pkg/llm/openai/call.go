package openai

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// call is what a request is about, and how often it was sent. It travels in the request's context
// through the library, which would lose it.
type call struct {
	route    string
	setting  string // that names the model; "" where no model is named
	once     bool   // it must not have its effect twice
	attempts int
}

type callKey struct{}

func (c *call) in(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, c) }

func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{} // Unreachable: every request is sent by a call.
}

// again reports whether another try may succeed, and whether anybody waits for it. Who is asked for a
// pause was not listened to, so that is no second time.
func (c *call) again(ctx context.Context, err error) bool {
	return ctx.Err() == nil && (fault.Is(err, fault.Throttled) || fault.Is(err, fault.Unavailable) && !c.once)
}

// kinded gives the library's own errors a kind: what was never sent is a request that cannot be, and
// what was answered otherwise is no JSON, or not that of the API.
func (c *call) kinded(err error) error {
	switch {
	case err == nil || !fault.Is(err, fault.Internal):
		return err
	case c.attempts == 0:
		return fault.Field("Model", "the request cannot be sent; check %s: %w", c.setting, err)
	}
	return unusable("%v", err)
}

// over logs a call that has come to its end.
func (c *Client) over(ctx context.Context, k *call, began time.Time, usage llm.Usage, err error, attrs ...slog.Attr) {
	level, outcome := slog.LevelInfo, "ok"
	if err != nil {
		level, outcome = slog.LevelWarn, string(fault.KindOf(err))
		attrs = append(attrs, slog.Any("err", err))
	}
	if usage != (llm.Usage{}) {
		attrs = append(attrs, slog.Int("tokens_in", usage.In), slog.Int("tokens_out", usage.Out),
			slog.Float64("cost", usage.Cost))
	}
	c.tokens.Add(int64(usage.In + usage.Out))
	c.used(usage.In, usage.Out)
	c.log.LogAttrs(ctx, level, "model called", append([]slog.Attr{
		slog.String("route", k.route), slog.Int("attempts", k.attempts), slog.Duration("dur", time.Since(began)),
		slog.String("outcome", outcome),
	}, attrs...)...)
}
