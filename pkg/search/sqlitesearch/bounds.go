package sqlitesearch

// bounds limits the cost of one query.
type bounds struct {
	candidates int // maximum number of chunks that are read
	ofPage     int // maximum number of chunks read of one page
	alike      int // maximum number of chunks read that have equal scores
	sampled    int // if more chunks match, the number of their pages is first estimated from a sample
	exact      int // up to this many matching chunks are all looked up, if their pages are few
	counted    int // maximum number of pages that are counted
}

var (
	usual      = bounds{candidates: 450, ofPage: 8, alike: 150, sampled: 4096, exact: 20_000, counted: 1000}
	everything = bounds{candidates: 300e9, ofPage: 1e9, alike: 1e9, sampled: 1e9, exact: 1e9, counted: 1e9}
)
