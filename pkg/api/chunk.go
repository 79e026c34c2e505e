package api

// ChunkList lists the chunks of an item as they were last sent to the index, in text order.
type ChunkList struct {
	Chunks []ChunkInfo `json:"chunks"`
}

// ChunkInfo describes a chunk, without its text (spec 002 §6).
type ChunkInfo struct {
	ChunkUID    string `json:"chunkUid"`
	VirtualPath string `json:"virtualPath"`
	Key         string `json:"key"` // the chunk's key in the index
	Kind        string `json:"kind"`
	Heading     string `json:"heading,omitempty"`
	Zone        string `json:"zone,omitempty"`   // beside, or left out for the main content
	Anchor      string `json:"anchor,omitempty"` // fragment of the page's URL that leads to the chunk
	Name        string `json:"name,omitempty"`
	Tokens      int    `json:"tokens"`
	Start       int    `json:"start"` // offset in the document's text, in UTF-16 code units
	End         int    `json:"end"`
	TextHash    string `json:"textHash"`
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

// ImageList lists the images of an item in the index, in page order.
type ImageList struct {
	Images []Image `json:"images"`
}
