package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// resultLine is a line of the files of a batch.
// (https://platform.openai.com/docs/api-reference/batch/request-output)
type resultLine struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		StatusCode int             `json:"status_code"`
		Body       json.RawMessage `json:"body"`
	} `json:"response"`
	Error *lineError `json:"error"`
}

type lineError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Results implements [llm.Batcher].
func (c *Client) Results(ctx context.Context, file string) (llm.Output, error) {
	began, k := time.Now(), &call{route: "/files/{id}/content"}
	body, err := c.content(ctx, k, file)
	var out llm.Output
	if err == nil {
		out = c.results(body)
	}
	var used llm.Usage
	for _, r := range out.Results {
		used = used.Add(r.Answer.Usage)
	}
	c.over(ctx, k, began, used, err, slog.String("file", file), slog.Int("results", len(out.Results)),
		slog.Int("broken", out.Broken))
	return out, err
}

func (c *Client) content(ctx context.Context, k *call, file string) ([]byte, error) {
	raw, err := c.api.GetFileContent(k.in(ctx), url.PathEscape(file))
	if err != nil {
		return nil, k.kinded(err)
	}
	defer raw.Close()
	return io.ReadAll(raw) // the sender has already read the body and bounded its size
}

// Delete implements [llm.Batcher].
func (c *Client) Delete(ctx context.Context, file string) error {
	began, k := time.Now(), &call{route: "/files/{id}"}
	err := k.kinded(c.api.DeleteFile(k.in(ctx), url.PathEscape(file)))
	c.over(ctx, k, began, llm.Usage{}, err, slog.String("file", file))
	return err
}

// results reads the lines of a file.
func (c *Client) results(body []byte) (out llm.Output) {
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var r resultLine
		if json.Unmarshal(line, &r) != nil || r.CustomID == "" {
			out.Broken++
			continue
		}
		a, err := r.answer(c.sender.excerpt)
		if c.dialects.learnLine(err) {
			err = fault.New(fault.Unavailable, "asked again in a simpler form: %s", err)
		}
		out.Results = append(out.Results, llm.Result{ID: r.CustomID, Answer: a, Err: err})
	}
	return out
}

// answer returns the answer of a line, or its error. Some services put errors beside the response, and some into it.
func (r resultLine) answer(told func(string) string) (llm.Answer, error) {
	if r.Response == nil || r.Response.StatusCode == 0 {
		return llm.Answer{}, r.failure(0, r.Error, told)
	}
	if r.Response.StatusCode < 200 || r.Response.StatusCode > 299 {
		var body struct {
			Error *lineError `json:"error"`
		}
		_ = json.Unmarshal(r.Response.Body, &body)
		return llm.Answer{}, r.failure(r.Response.StatusCode, body.Error, told)
	}
	return answerOf(r.Response.Body, told)
}

// failure returns the error of a line. The kind of the error shows whether a retry may help.
func (resultLine) failure(status int, e *lineError, told func(string) string) error {
	if e == nil {
		e = &lineError{Message: "without a reason"}
	}
	said := told(e.Code + " " + e.Message)
	switch {
	case e.Code == "batch_cancelled":
		return fault.New(fault.Conflict, "the batch was cancelled: %s", said)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.Throttled, "HTTP 429 in a batch: %s", said)
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return fault.Field("Input", "HTTP %d in a batch: %s", status, said)
	}
	if status == 0 {
		return fault.New(fault.Unavailable, "not done in its batch: %s", said) // the code is usually batch_expired
	}
	return fault.New(fault.Unavailable, "HTTP %d in a batch: %s", status, said)
}
