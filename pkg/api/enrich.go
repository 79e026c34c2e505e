package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// EnrichRequest asks what a language model says of an entry, or of a text that is none.
type EnrichRequest struct {
	EntryID string `json:"entry_id,omitempty"`
	Text    string `json:"text,omitempty"`
	Title   string `json:"title,omitempty"`
}

// Tier1 is what a language model says of an entry. Its fields but the last are columns of it.
type Tier1 struct {
	EntryID                  string    `json:"entry_id,omitempty"`
	Gist                     string    `json:"gist"`
	TopicPrimary             string    `json:"topic_primary"`
	TopicPrimaryConfidence   float64   `json:"topic_primary_confidence"` // 0 to 1, as the next
	TopicSecondary           string    `json:"topic_secondary"`          // empty for none
	TopicSecondaryConfidence float64   `json:"topic_secondary_confidence"`
	Keywords                 []string  `json:"keywords"`
	Model                    string    `json:"tier1_model"`
	TokensIn                 int       `json:"tier1_tokens_in"`
	TokensOut                int       `json:"tier1_tokens_out"`
	Cost                     float64   `json:"tier1_cost,omitempty"` // in US dollars, where the service says so
	At                       time.Time `json:"tier1_at"`
}

// MaxEnrichBatch is how many entries a batch may have.
const MaxEnrichBatch = 2000

// EnrichBatchRequest asks for many entries at once, within a day and at half the price.
type EnrichBatchRequest struct {
	EntryIDs []string `json:"entry_ids"` // 1 to [MaxEnrichBatch]
}

// EnrichBatch is a batch of entries. Its outcomes are counted once it is done.
type EnrichBatch struct {
	ID           string       `json:"id"`
	Schema       string       `json:"schema"`
	Status       string       `json:"status"`  // queued, sending, running, done
	Attempt      int          `json:"attempt"` // from 1
	Next         string       `json:"next_batch_id,omitempty"`
	Model        string       `json:"model"`
	RemoteID     string       `json:"remote_id,omitempty"`     // the service's
	RemoteStatus string       `json:"remote_status,omitempty"` // in the service's word
	Message      string       `json:"message,omitempty"`       // what went wrong last
	Entries      int          `json:"entries"`
	Enriched     int          `json:"enriched"`
	Skipped      int          `json:"skipped"` // enriched already, or gone
	Failed       int          `json:"failed"`
	Cancelled    int          `json:"cancelled"`
	Again        int          `json:"again"` // in the next batch
	Strangers    int          `json:"strangers,omitempty"`
	TokensIn     int          `json:"tokens_in"`
	TokensOut    int          `json:"tokens_out"`
	Cost         float64      `json:"cost,omitempty"`
	NotBefore    time.Time    `json:"not_before,omitzero"`
	CreatedAt    time.Time    `json:"created_at,omitzero"`
	SentAt       time.Time    `json:"sent_at,omitzero"`
	EndedAt      time.Time    `json:"ended_at,omitzero"`
	CancelledAt  time.Time    `json:"cancelled_at,omitzero"` // when its end was asked for
	Lines        []EnrichLine `json:"lines,omitempty"`       // of a batch that is read alone
}

// EnrichLine is an entry in a batch.
type EnrichLine struct {
	EntryID   string `json:"entry_id"`
	Outcome   string `json:"outcome"` // waiting, enriched, skipped, failed, cancelled, again
	Message   string `json:"message,omitempty"`
	TokensIn  int    `json:"tokens_in,omitempty"`
	TokensOut int    `json:"tokens_out,omitempty"`
}

// EnrichBatches is a list of batches, newest first.
type EnrichBatches struct {
	Batches []EnrichBatch `json:"batches"`
}

// EnrichList says which batches to list.
type EnrichList struct {
	Schema string // that of the test mode when empty
	Top    int    // 20 when 0, at most 100
	Before string // only those older than the batch of this id
}

// Enrich has a language model describe an entry, or a text, now.
func (c *Client) Enrich(ctx context.Context, req EnrichRequest) (Tier1, error) {
	var t Tier1
	err := c.call(ctx, http.MethodPost, "enrich/tier1", nil, req, &t)
	return t, err
}

// EnrichBatch has entries described when the service has time.
func (c *Client) EnrichBatch(ctx context.Context, entryIDs []string) (EnrichBatch, error) {
	var b EnrichBatch
	err := c.call(ctx, http.MethodPost, "enrich/tier1/batch", nil, EnrichBatchRequest{EntryIDs: entryIDs}, &b)
	return b, err
}

// EnrichBatches lists batches.
func (c *Client) EnrichBatches(ctx context.Context, l EnrichList) (EnrichBatches, error) {
	v := values("schema", l.Schema, "before", l.Before)
	if l.Top > 0 {
		v.Set("top", strconv.Itoa(l.Top))
	}
	var out EnrichBatches
	err := c.call(ctx, http.MethodGet, "enrich/tier1/batches", v, nil, &out)
	return out, err
}

// EnrichBatchState reads one batch with its lines.
func (c *Client) EnrichBatchState(ctx context.Context, id string) (EnrichBatch, error) {
	var b EnrichBatch
	err := c.call(ctx, http.MethodGet, "enrich/tier1/batches/"+url.PathEscape(id), nil, nil, &b)
	return b, err
}

// CancelEnrichBatch asks for the end of a batch, which takes a while: what a model has said by then is
// used. Asking again is asking once; 409 for a batch that is done.
func (c *Client) CancelEnrichBatch(ctx context.Context, id string) (EnrichBatch, error) {
	var b EnrichBatch
	err := c.call(ctx, http.MethodPost, "enrich/tier1/batches/"+url.PathEscape(id)+"/cancel", nil, nil, &b)
	return b, err
}
