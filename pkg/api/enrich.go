package api

import "time"

// EnrichRequest asks a language model to describe an entry, or a text that is not an entry.
type EnrichRequest struct {
	EntryID string `json:"entry_id,omitempty"`
	Text    string `json:"text,omitempty"`
	Title   string `json:"title,omitempty"`
}

// Tier1 is a language model's description of an entry. All fields but the last are columns of the entry.
type Tier1 struct {
	EntryID                  string    `json:"entry_id,omitempty"`
	Gist                     string    `json:"gist"`
	TopicPrimary             string    `json:"topic_primary"`
	TopicPrimaryConfidence   float64   `json:"topic_primary_confidence"` // 0 to 1, like topic_secondary_confidence
	TopicSecondary           string    `json:"topic_secondary"`          // empty if there is none
	TopicSecondaryConfidence float64   `json:"topic_secondary_confidence"`
	Keywords                 []string  `json:"keywords"`
	Model                    string    `json:"tier1_model"`
	TokensIn                 int       `json:"tier1_tokens_in"`
	TokensOut                int       `json:"tier1_tokens_out"`
	Cost                     float64   `json:"tier1_cost,omitempty"` // in US dollars, if the service reports the cost
	At                       time.Time `json:"tier1_at"`
}

// MaxEnrichBatch is the largest number of entries in a batch.
const MaxEnrichBatch = 2000

// EnrichBatchRequest enriches many entries at once, within a day and at half the price.
type EnrichBatchRequest struct {
	EntryIDs []string `json:"entry_ids"` // ids of 1 to [MaxEnrichBatch] entries
}

// EnrichBatch is a batch of entries. Outcomes are counted once the batch is done.
type EnrichBatch struct {
	ID           string       `json:"id"`
	Schema       string       `json:"schema"`
	Status       string       `json:"status"`  // queued, sending, running, done
	Attempt      int          `json:"attempt"` // number of the attempt, from 1
	Next         string       `json:"next_batch_id,omitempty"`
	Model        string       `json:"model"`
	RemoteID     string       `json:"remote_id,omitempty"`     // the service's id for the batch
	RemoteStatus string       `json:"remote_status,omitempty"` // status of the batch as the service reports it
	Message      string       `json:"message,omitempty"`       // the last error
	Entries      int          `json:"entries"`
	Enriched     int          `json:"enriched"`
	Skipped      int          `json:"skipped"` // entries that were already enriched, or were removed
	Failed       int          `json:"failed"`
	Cancelled    int          `json:"cancelled"`
	Again        int          `json:"again"` // entries that were moved to the next batch
	Strangers    int          `json:"strangers,omitempty"`
	TokensIn     int          `json:"tokens_in"`
	TokensOut    int          `json:"tokens_out"`
	Cost         float64      `json:"cost,omitempty"`
	NotBefore    time.Time    `json:"not_before,omitzero"`
	CreatedAt    time.Time    `json:"created_at,omitzero"`
	SentAt       time.Time    `json:"sent_at,omitzero"`
	EndedAt      time.Time    `json:"ended_at,omitzero"`
	CancelledAt  time.Time    `json:"cancelled_at,omitzero"` // when cancellation was requested
	Lines        []EnrichLine `json:"lines,omitempty"`       // only when a single batch is requested
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

// EnrichQuery selects the batches to list.
type EnrichQuery struct {
	// Only batches of this schema; defaults to the active one.
	Schema string `json:"schema,omitempty"`
	Top    int    `json:"top,omitempty" default:"20" min:"1" max:"100"` // The largest number returned.
	Before string `json:"before,omitempty"`                             // Only batches older than the one with this id.
}

// EnrichBatchID identifies a batch.
type EnrichBatchID struct {
	ID string `json:"-" path:"id"` // The batch.
}
