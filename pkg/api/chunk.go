package api

// ChunkList are the chunks of an item that the index was last given, in the order of its text.
type ChunkList struct {
	Chunks []ChunkInfo `json:"chunks"`
}

// ChunkInfo is what is known of a chunk without its text (spec 002 §6).
type ChunkInfo struct {
	ChunkUID    string `json:"chunkUid"`
	VirtualPath string `json:"virtualPath"`
	Key         string `json:"key"` // by which it is found in the index
	Kind        string `json:"kind"`
	Heading     string `json:"heading,omitempty"`
	Anchor      string `json:"anchor,omitempty"` // leads browsers there, behind the page's address and a #
	Name        string `json:"name,omitempty"`
	Tokens      int    `json:"tokens"`
	Start       int    `json:"start"` // of the document's text, in UTF-16 code units
	End         int    `json:"end"`
	TextHash    string `json:"textHash"`
}

// ImageList are the images that the index shows of an item, in page order.
type ImageList struct {
	Images []Image `json:"images"`
}
