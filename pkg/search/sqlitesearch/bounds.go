package sqlitesearch

// bounds limits the cost of one query.
type bounds struct {
	candidates int // maximum number of chunks to read
	ofPage     int // maximum number of chunks to read of one page
	alike      int // maximum number of chunks with equal scores to read
	sampled    int // if more chunks match, the number of their pages is first estimated from a sample
	exact      int // up to this number, all matching chunks are looked up if they are on few pages
	counted    int // maximum number of pages to count
}

var (
	usual      = bounds{candidates: 450, ofPage: 8, alike: 150, sampled: 4096, exact: 20_000, counted: 1000}
	everything = bounds{candidates: 300e9, ofPage: 1e9, alike: 1e9, sampled: 1e9, exact: 1e9, counted: 1e9}
)
