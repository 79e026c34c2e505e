package api

import "time"

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

// EnrichQuery says which batches to list.
type EnrichQuery struct {
	// Of this schema; of the active one when it is left out.
	Schema string `json:"schema,omitempty"`
	Top    int    `json:"top,omitempty" default:"20" min:"1" max:"100"` // At most so many.
	Before string `json:"before,omitempty"`                             // Only those older than the batch of this id.
}

// EnrichBatchID names a batch.
type EnrichBatchID struct {
	ID string `json:"-" path:"id"` // The batch.
}
