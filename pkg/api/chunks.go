package api

import "time"

// ChunkQuery asks for what was written to the index.
type ChunkQuery struct {
	// The cursor of an answer with the same host and tag. Leave it out to begin with all chunks that there are now.
	Since string `json:"since,omitempty"`
	Top   int    `json:"top,omitempty" default:"500" min:"1" max:"1000"` // Changes per answer, which also ends at 8 MiB.
	Host  string `json:"host,omitempty"`                                 // Only chunks of pages of this host.
	Tag   string `json:"tag,omitempty"`                                  // Only chunks of items with this tag.
	// With each chunk, the vector of the model that is configured.
	Vectors bool `json:"vectors,omitempty"`
}

// ChunkChanges are changes of chunks, in the order in which the index was written. Who applies all of them holds what
// the index holds.
type ChunkChanges struct {
	Changes []ChunkChange `json:"changes"`
	Cursor  string        `json:"cursor"` // the since of the next request
	// Generation is the name of the index. A new name means that the index was filled anew.
	Generation string `json:"generation"`
	// Copying is true until the changes have named all chunks that there are. After that, a follower that has begun again
	// can delete what was not named.
	Copying bool `json:"copying"`
}

// ChunkOp is what a [ChunkChange] does.
type ChunkOp string

// The ops.
const (
	ChunkUpsert     ChunkOp = "upsert"     // the index holds this chunk, perhaps with another text or address than before
	ChunkDelete     ChunkOp = "delete"     // the index no longer holds the chunk
	ChunkDeleteItem ChunkOp = "deleteItem" // the index holds no chunk of the item or entry, or none for this host or tag
	ChunkGeneration ChunkOp = "generation" // another generation of the index answers from now on
)

// ChunkChange is a change of a chunk. It may repeat an earlier one, or delete a chunk that the follower never had.
type ChunkChange struct {
	Op      ChunkOp `json:"op"`
	ChunkID string  `json:"chunkId,omitempty"` // left out of deleteItem
	// ChunkUIDs are the names of the chunk in other tools.
	ChunkUIDs []string `json:"chunkUids,omitempty"`
	ItemID    string   `json:"itemId,omitempty"`   // of a page or file
	EntryID   string   `json:"entryId,omitempty"`  // of an entry
	Capture   string   `json:"capture,omitempty"`  // SHA-256 of the capture that the text comes from
	Hash      string   `json:"hash,omitempty"`     // "sha256:" and the SHA-256 of what is embedded: heading path and text
	TextHash  string   `json:"textHash,omitempty"` // "sha256:" and the SHA-256 of text, in UTF-8
	Text      string   `json:"text,omitempty"`
	// HeadingPath are the headings above the text, outermost first.
	HeadingPath []string  `json:"headingPath,omitempty"`
	URL         string    `json:"url,omitempty"`
	Anchor      string    `json:"anchor,omitempty"` // fragment of the URL that leads to the text
	Page        int       `json:"page,omitempty"`   // of a PDF file with several pages, on which the text begins, from 1
	Title       string    `json:"title,omitempty"`
	Language    string    `json:"language,omitempty"`
	Zone        string    `json:"zone,omitempty"` // beside, or left out for the main content
	Tags        []string  `json:"tags,omitempty"`
	PublishedAt time.Time `json:"publishedAt,omitzero"` // the date that the page states
	ChangedAt   time.Time `json:"changedAt,omitzero"`   // when the content of the page last changed
	At          time.Time `json:"at"`                   // when the index was written
	Vector      []float32 `json:"vector,omitempty"`
	// From, To and Differs are of an op generation: the names of the generations, and what differs: model (the vectors)
	// or words (what is found by words). Chunks that differ in their texts follow. Who keeps the vectors of this server
	// begins again where the model differs.
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Differs []string `json:"differs,omitempty"`
}

// ChunkList lists the chunks of an item or an entry that the index holds, in text order. All are of one capture.
type ChunkList struct {
	Capture string      `json:"capture,omitempty"` // SHA-256 of the capture; left out for an entry
	Chunks  []ChunkInfo `json:"chunks"`
}

// ChunkInfo is a chunk (spec 002 §6).
type ChunkInfo struct {
	ChunkID     string `json:"chunkId"` // the chunk's key in the index; it stays while the text and its headings stay
	ChunkUID    string `json:"chunkUid"`
	VirtualPath string `json:"virtualPath"`
	Key         string `json:"key"` // same as chunkId
	Kind        string `json:"kind"`
	Heading     string `json:"heading,omitempty"`
	Zone        string `json:"zone,omitempty"`   // beside, or left out for the main content
	Anchor      string `json:"anchor,omitempty"` // fragment of the page's URL that leads to the chunk
	Name        string `json:"name,omitempty"`
	Tokens      int    `json:"tokens"`
	// Start and End are offsets in UTF-16 code units: in the decoded file for text, code and Markdown files, in the
	// entry's text for an entry, otherwise in items/{id}/text?format=text. Texts of images, and what describes an
	// entry, are texts of their own.
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Hash     string `json:"hash"`     // "sha256:" and the SHA-256 of what is embedded: the heading path and the text
	TextHash string `json:"textHash"` // "sha256:" and the SHA-256 of text, in UTF-8
	Text     string `json:"text"`
	// Segment is the segment that contains the chunk, such as a block of code; left out for prose.
	Segment *ChunkSegment `json:"segment,omitempty"`
	MetaV2  ChunkMeta     `json:"metaV2"`
}

// ChunkMeta is the identity of a chunk in the form that other tools read (spec 002 §6.1).
type ChunkMeta struct {
	ChunkUID    string        `json:"chunkUid"`
	VirtualPath string        `json:"virtualPath"`
	Segment     *ChunkSegment `json:"segment,omitempty"`
}

// ChunkSegment describes a segment of a document, as metaV2 of spec 002 does.
type ChunkSegment struct {
	SegmentUID  string `json:"segmentUid"`
	Type        string `json:"type"`
	LanguageID  string `json:"languageId,omitempty"`
	VirtualPath string `json:"virtualPath"`
}
