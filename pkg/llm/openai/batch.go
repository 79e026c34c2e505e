package openai

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

var _ llm.Batcher = (*Client)(nil)

// labelKey is the key of the label in the metadata of a batch.
const labelKey = "tidemark"

// page is the number of batches that one request lists. It is the API's maximum.
const page = 100

// Upload implements [llm.Batcher].
func (c *Client) Upload(ctx context.Context, name string, lines []llm.Line) (string, error) {
	req := api.UploadBatchFileRequest{FileName: name}
	for _, l := range lines {
		req.AddChatCompletion(l.ID, c.dialects.ofLines(l.Model).completion(l.Request))
	}
	began, k := time.Now(), &call{route: "/files"}
	file, err := c.api.UploadBatchFile(k.in(ctx), req)
	if err = k.kinded(err); err == nil && file.ID == "" {
		err = unusable("a file without an id")
	}
	c.over(ctx, k, began, llm.Usage{}, err, slog.Int("lines", len(lines)), slog.String("file", file.ID))
	return file.ID, err
}

// Start implements [llm.Batcher].
func (c *Client) Start(ctx context.Context, o llm.Order) (llm.Batch, error) {
	req := api.CreateBatchRequest{
		InputFileID: o.File, Endpoint: api.BatchEndpointChatCompletions,
		CompletionWindow: fmt.Sprintf("%dh", int(o.Window.Hours())), Metadata: map[string]any{labelKey: o.Label},
	}
	return c.batch(ctx, &call{route: "/batches", once: true}, func(ctx context.Context) (api.BatchResponse, error) {
		return c.api.CreateBatch(ctx, req)
	})
}

// Named implements [llm.Batcher].
func (c *Client) Named(ctx context.Context, name string) (files []string, err error) {
	began, k := time.Now(), &call{route: "/files"}
	list, err := c.api.ListFiles(k.in(ctx))
	err = k.kinded(err)
	for _, f := range list.Files {
		if f.FileName == name {
			files = append(files, f.ID)
		}
	}
	c.over(ctx, k, began, llm.Usage{}, err, slog.Int("files", len(files)))
	return files, err
}

// Batch implements [llm.Batcher].
func (c *Client) Batch(ctx context.Context, id string) (llm.Batch, error) {
	return c.batch(ctx, &call{route: "/batches/{id}"}, func(ctx context.Context) (api.BatchResponse, error) {
		return c.api.RetrieveBatch(ctx, url.PathEscape(id))
	})
}

// Cancel implements [llm.Batcher].
func (c *Client) Cancel(ctx context.Context, id string) (llm.Batch, error) {
	return c.batch(ctx, &call{route: "/batches/{id}/cancel"}, func(ctx context.Context) (api.BatchResponse, error) {
		return c.api.CancelBatch(ctx, url.PathEscape(id))
	})
}

// batch makes a call whose answer is a batch.
func (c *Client) batch(
	ctx context.Context, k *call, do func(context.Context) (api.BatchResponse, error),
) (llm.Batch, error) {
	began := time.Now()
	resp, err := do(k.in(ctx))
	var b llm.Batch
	if err = k.kinded(err); err == nil {
		b, err = c.batchOf(resp.Batch)
	}
	c.over(ctx, k, began, llm.Usage{}, err, slog.String("batch", b.ID), slog.String("status", b.Status),
		slog.Int("lines", b.Total), slog.Int("done", b.Done), slog.Int("failed", b.Failed))
	return b, err
}

// Recent implements [llm.Batcher].
func (c *Client) Recent(ctx context.Context) iter.Seq2[llm.Batch, error] {
	return func(yield func(llm.Batch, error) bool) {
		var after *string
		for {
			list, err := c.recent(ctx, after)
			if err != nil {
				yield(llm.Batch{}, err)
				return
			}
			for _, one := range list.Data {
				if !yield(c.batchOf(one)) {
					return
				}
				after = &one.ID
			}
			if !list.HasMore || len(list.Data) == 0 {
				return
			}
		}
	}
}

func (c *Client) recent(ctx context.Context, after *string) (api.ListBatchResponse, error) {
	began, k, limit := time.Now(), &call{route: "/batches"}, page
	list, err := c.api.ListBatch(k.in(ctx), after, &limit)
	err = k.kinded(err)
	c.over(ctx, k, began, llm.Usage{}, err, slog.Int("batches", len(list.Data)))
	return list, err
}

// states maps the names of services for the state of a batch.
var states = map[string]llm.BatchState{
	"validating": llm.Working, "in_progress": llm.Working, "finalizing": llm.Working, "cancelling": llm.Working,
	"queued": llm.Working, "pending": llm.Working, "created": llm.Working, "running": llm.Working,
	"completed": llm.Completed, "succeeded": llm.Completed, "failed": llm.Failed, "expired": llm.Expired,
	"cancelled": llm.Cancelled, "canceled": llm.Cancelled,
}

// batchOf converts a batch from the API's form.
func (c *Client) batchOf(b api.Batch) (llm.Batch, error) {
	out := llm.Batch{
		ID: b.ID, Status: b.Status, Input: b.InputFileID, CreatedAt: time.Unix(int64(b.CreatedAt), 0).UTC(),
		Total: b.RequestCounts.Total, Done: b.RequestCounts.Completed, Failed: b.RequestCounts.Failed,
	}
	out.Label, _ = b.Metadata[labelKey].(string)
	for _, file := range []*string{b.OutputFileID, b.ErrorFileID} {
		if file != nil && *file != "" {
			out.Files = append(out.Files, *file)
		}
	}
	if b.Errors != nil && len(b.Errors.Data) > 0 {
		first := b.Errors.Data[0]
		out.Message = c.sender.excerpt(first.Code + ": " + first.Message)
	}
	out.State = states[strings.ToLower(b.Status)]
	if out.ID == "" || out.State == "" {
		return out, fault.New(fault.Unavailable, "the service's batch %.80q has the status %.40q, which is none", out.ID,
			b.Status)
	}
	return out, nil
}

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
