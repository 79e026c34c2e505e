package openai

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// call describes a request and counts its attempts. It is passed through the library in the context of the request,
// because the library offers no other way.
type call struct {
	route    string
	setting  string // the setting with the model's name; "" for requests without a model
	once     bool   // the request must not take effect twice
	attempts int    // in all forms of the request
}

type callKey struct{}

func (c *call) in(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, c) }

func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{} // Unreachable: every request belongs to a call.
}

// again reports whether a retry may succeed and the caller is still waiting. A throttled request had no effect, so it
// may be retried even if it must not take effect twice.
func (c *call) again(ctx context.Context, err error) bool {
	return ctx.Err() == nil && (fault.Is(err, fault.Throttled) || fault.Is(err, fault.Unavailable) && !c.once)
}

// kinded gives the library's own errors a kind. An error before sending means that the request is invalid. An error
// after an answer means that the answer is not JSON, or does not have the form of the API.
func (c *call) kinded(err error) error {
	switch {
	case err == nil || !fault.Is(err, fault.Internal):
		return err
	case c.attempts == 0:
		return fault.Field("Model", "the request cannot be sent; check %s: %w", c.setting, err)
	}
	return unusable("%v", err)
}

// over logs a finished call.
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
