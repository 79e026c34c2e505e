// Package ranking scores how well chunks and pages answer a query. It is pure: values in, values out. A chunk is
// scored by its text, the path of its headings and the title of its page. A query is represented by its terms and
// their rarity.
//
// A word has an [Impact] on each chunk that contains it. The impact is computed when the chunk is indexed. A query
// reads the chunks with the greatest impacts, and a [Scorer] scores these by all terms together: by BM25, by how
// close together the terms are, by whether the title or the heading equals the query, and by whether the chunk
// defines a term of the query. [Query.ScorePage] computes the score of a page from its chunks. [Fuse] joins the
// ranking by words with the ranking by vectors.
package ranking

// Each weight was measured with the 22 questions of `measure/score -search` over the documentation of Python, Rust and
// Debian policy (docs/benchmarks.md), on an unchanged index. With all weights as they are, MRR is .943 and nDCG@10 is
// .901. The comment on each weight gives MRR and nDCG@10 for other values of that weight alone. If one more question
// has its answer in first position, MRR rises by about .02. "The same" means that no question depends on the weight.
// Such a weight was chosen, not measured, unless a test is named.

// Weights of a single term, as multiples of its rarity.
const (
	// titleTimes and headingTimes: a word in the title or a heading counts as this many occurrences in the text.
	// Without titleTimes: .920, .890; without headingTimes: .908, .890.
	titleTimes, headingTimes = 3.0, 2.0
	// saturation is k1 of BM25. The greater it is, the more further occurrences add. Half the value: .898, .883;
	// twice the value: .898, .868.
	saturation = 1.2
	// lengthPart is b of BM25. The greater it is, the less an occurrence in a long text adds. 0: .916, .884; 1: .898,
	// .882.
	lengthPart = .6
	// definesIt is added if the chunk defines the term. Without it: .746, .739.
	definesIt = 1.2
	// titleDefines is the factor for a definition in a title, not in a heading or the text. 0: .920, .881; 1: the
	// same.
	titleDefines = .8
	// unlike is the factor for a symbol that the text spells differently (init for __init__). 0 and 1: the same.
	unlike = .3
	// symbolParts is the factor for the parts of a symbol in a text without the whole symbol. 0 and 1: the same;
	// TestJ2Ranking fails with 0.
	symbolParts = .5
	// elsewhere is added if another chunk of the page contains the term. 0: the same.
	elsewhere = .25
)

// Weights of other forms of a word.
const (
	// formWeight limits the total weight of all occurrences of other forms in a text. 0: .939, .895; 1: the same;
	// TestFormsRankBelowTheWord fails with 1.
	formWeight = .5
	// formOccurs is the weight of another form in a title or heading. 0: .908, .876; 1: the same.
	formOccurs = .85
	// formImpact is the factor that reduces an impact for another form. It was chosen, not measured.
	formImpact = .8
	// formNames is the factor for a definition that defines another form of the word (decorators where decorator is
	// defined). 0 and 1: the same; TestJ2Definitions fails with 0.
	formNames = .8
	// partlyNamed is the factor for a defined name if the query has only some of its words. 0 and 1: the same.
	partlyNamed = .3
)

// Weights of all terms together, as multiples of their rarity.
const (
	// titleFit and headingFit are added if the title, or the last heading, equals the query. Without titleFit: .898,
	// .874, and TestJ2Ranking fails; without headingFit: .920, .892.
	titleFit, headingFit = 1.0, .9
	// nearness is added if the terms are adjacent. Without it: .920, .882.
	nearness = .5
	// leastCoverage is the factor for a chunk with hardly any of the terms. 0: the same; 1: .918, .883.
	leastCoverage = .4
)

// Weights of pages.
const (
	// others is the share of the scores of a page's second and third best chunks that is added to the page's score.
	// Without it: .920, .891.
	others = .08
	// listing is the factor for a page that only lists the contents of other pages. Without it: .891, .860.
	listing = .55
	// copyFactor is the factor for a chunk whose text is on manyCopies pages, except on the best of these pages:
	// generated documentation repeats inherited methods on every page. 1: the same. With manyCopies = 2: .943, .907;
	// with 10: the same.
	copyFactor = .7
	manyCopies = 3
	// urlByte is the share of its score that a page loses for each byte of its address, up to 300 bytes. So of two
	// similar pages, the page with the shorter address ranks higher. Without it: the same.
	urlByte = .0003
	// fusionK is k in the sum of 1 / (k + position), by which rankings are fused. The greater it is, the less the
	// first positions count in comparison with later ones. 60 is the value of the paper
	// (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf).
	fusionK = 60
)

// Weights of passages, which decide which chunks of a page are shown. They were chosen, not measured: the questions
// do not measure passages, and no test fails when passageHeading or passageDefines is 0.
const (
	passageHeading = .3  // factor for the part of the chunk's score that a heading adds
	passageDefines = 2   // factor for the part of the chunk's score that a definition adds
	leastShown     = .25 // share of the score of the page's best passage below which chunks are not shown
	surelyDefined  = .75 // least certainty of a definition at which the passage begins with the definition
)

// besideFactor is the factor for text beside the main content of a page. It was chosen, not measured: it only makes a
// match in the main content win over an equally good match beside it.
const besideFactor = 0.8

// ZoneFactor returns the factor for the scores of a chunk in the given zone of its page.
func ZoneFactor(zone string) float64 {
	if zone == "" {
		return 1
	}
	return besideFactor
}
