package search

import (
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The bounds of [Index.Follow].
const (
	maxFollowed   = 1000    // maximum number of events in an answer
	FollowedBytes = 8 << 20 // an answer ends after the event with which its texts reach this size
)

// FollowQuery asks for what was written to an index.
type FollowQuery struct {
	Since string // the cursor of an answer to the same Host and Tag; "" to begin with what the index holds now
	Top   int    // 1 to [maxFollowed]; an answer may have a few more deletions
	// Only chunks of pages of this host, or with this tag. A page that comes to match is put as a whole, and a page that
	// matches no more is deleted.
	Host, Tag string
}

// Check returns Invalid, with the name of the field, for a query that no index accepts.
func (q FollowQuery) Check() error {
	if q.Top < 1 || q.Top > maxFollowed {
		return fault.Field("top", "top must be 1 to %d", maxFollowed)
	}
	return nil
}

// Filter returns a digest of the query's filter, by which a cursor knows the filter that it is of.
func (q FollowQuery) Filter() uint64 { return xxhash.Sum64String(q.Host + "\n" + q.Tag) }

// Errors of [Index.Follow].
var (
	ErrExpired = fault.New(fault.Expired, "this index never gave the cursor, or no longer knows what was deleted "+
		"since: begin again without a cursor, and delete what is not named until copying is false")
	ErrNoCursor = fault.Field("since",
		"since is no cursor of this feed; leave it out to begin with what there is now")
	ErrOtherFilter = fault.Field("since",
		"the cursor is of another host or tag; leave it out to begin with what there is now")
)

// Followed is a part of the events of an index, in the order in which the index was written. A follower that applies
// all of them holds the same chunks as the index. An event may repeat an earlier one, or delete a chunk that the
// follower never had.
type Followed struct {
	Events []Event
	Cursor string // where the next answer begins
	// Copying is set until the events have named all chunks that the index held when the follower began. While the index
	// is being filled, it stays set.
	Copying bool
	// Index is the name of the index. A new name means that the index was filled anew.
	Index string
}

// Op is what an [Event] does.
type Op string

// The ops of events.
const (
	OpPut        Op = "upsert"     // the index holds this chunk
	OpDelete     Op = "delete"     // the index no longer holds the chunk
	OpDeletePage Op = "deleteItem" // the index no longer holds the page, or the page does not match the query
	OpTakeover   Op = "generation" // another generation of the index answers from now on
)

// Event is one write to an index.
type Event struct {
	Op   Op
	Page Page // without chunks and images; of deletions only the ID
	// Chunk is the chunk without its vector; of an OpDelete only its key. [BaseKey] was applied to the key.
	Chunk Chunk
	At    time.Time // when the index was written
	// Takeover is set for an OpTakeover only.
	Takeover Takeover
}

// Takeover says that another generation of the index answers from now on. The chunks that differ follow it.
type Takeover struct {
	From    string   `json:"from"` // names of generations
	To      string   `json:"to"`
	Differs []string `json:"differs"` // DiffersModel, DiffersWords or both
}

// What differs between two generations.
const (
	DiffersModel = "model" // the vectors
	DiffersWords = "words" // what is found by words
)

// modelDigits is the length of a model's name in a key: hex digits.
const modelDigits = 8

// WithModel returns the key of a chunk whose vector is of the model with this name, of eight hex digits. The keys
// of package chunk end in no such digits.
func WithModel(key, model string) string { return key + "-" + model }

// ModelOf returns what [WithModel] has added to a key, or "".
func ModelOf(key string) string { return strings.TrimPrefix(key[len(BaseKey(key)):], "-") }

// BaseKey returns the key of a chunk without what [WithModel] has added.
func BaseKey(key string) string {
	at := len(key) - modelDigits - 1
	if at <= 0 || key[at] != '-' || strings.Trim(key[at+1:], "0123456789abcdef") != "" {
		return key
	}
	return key[:at]
}
