package sqlitesearch

// bounds of what one query may cost.
type bounds struct {
	candidates int // chunks that are read
	ofPage     int // of one page
	alike      int // with equal scores
	sampled    int // chunks that match, from which on their pages are estimated first
	exact      int // chunks that match, up to which all are looked up if their pages are few
	counted    int // pages that are counted
}

var (
	usual      = bounds{candidates: 450, ofPage: 8, alike: 150, sampled: 4096, exact: 20_000, counted: 1000}
	everything = bounds{candidates: 300e9, ofPage: 1e9, alike: 1e9, sampled: 1e9, exact: 1e9, counted: 1e9}
)
