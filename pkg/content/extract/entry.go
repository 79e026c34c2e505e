package extract

// Entry is an entry of a list: of a page that lists others, of a feed, or of JSON.
type Entry struct {
	URL   string // absolute, http or https, without fragment, otherwise not normalized
	Title string // at most [MaxLinkText] bytes
	Text  string // what the list says of the entry, at most [MaxEntryText] bytes; with the title
}

// Bounds of the entries of a list.
const (
	MaxEntries   = 1000 // of a document; further ones are counted
	MaxEntryText = 400
)

// Entries are the entries of a list, in its order, one for each address.
type Entries struct {
	All  []Entry
	More int    // further entries that were not read
	Why  string // why there are none, or what was not read; empty if everything was
	// Rest returns the lines of the document, or of its watched part, without the entries at some addresses. The
	// result ok is false if that is not known. It is nil if there are no entries.
	Rest func(without map[string]bool) (lines []string, ok bool)
}
