// Package ranking scores how well chunks and pages answer a query. It is pure: values in, values out. Of a chunk it
// reads the text, the path of its headings and the title of its page; of a query it reads the terms and their rarity.
//
// A word has an [Impact] on each chunk that contains it. The impact is computed when the chunk is indexed. A query
// reads the chunks with the greatest impacts, and a [Scorer] scores these by all terms together: by BM25, and by how
// close together the terms are, whether the title or the heading equals the query, and whether the chunk defines what
// the query asks for. [Query.ScorePage] computes the score of a page from its chunks. [Fuse] joins the ranking by
// words with the ranking by vectors.
package ranking

// Each weight was measured with the 22 questions of `cmd/score -search` over the documentation of Python, Rust and
// Debian policy (docs/benchmarks.md), on an unchanged index. With all weights as they are, MRR is .943 and nDCG@10 is
// .901. The comment on each weight gives MRR and nDCG@10 for other values of that weight alone. If one more question
// has its answer in first position, MRR rises by about .02. "The same" means that no question depends on the weight:
// it was chosen, not measured, unless a test is named.

// Weights of a single term, as multiples of its rarity.
const (
	// titleTimes and headingTimes: a word in the title or a heading has the weight of this many occurrences in the
	// text. Without titleTimes: .920, .890; without headingTimes: .908, .890.
	titleTimes, headingTimes = 3.0, 2.0
	// saturation is k1 of BM25: the greater it is, the more further occurrences add. Half the value: .898, .883;
	// twice the value: .898, .868.
	saturation = 1.2
	// lengthPart is b of BM25: how much the length of a text reduces the value of an occurrence. 0: .916, .884; 1:
	// .898, .882.
	lengthPart = .6
	// definesIt is added if the chunk defines the term. Without it: .746, .739.
	definesIt = 1.2
	// titleDefines is the factor for a definition that is in a title, not in a heading or the text. 0: .920, .881; 1:
	// the same.
	titleDefines = .8
	// unlike is the factor for a symbol that the text spells differently (init for __init__). 0 and 1: the same.
	unlike = .3
	// symbolParts is the factor for the parts of a symbol in a text that does not contain the whole. 0 and 1: the
	// same; TestJ2Ranking fails with 0.
	symbolParts = .5
	// elsewhere is added if another chunk of the page has the term. 0: the same.
	elsewhere = .25
)

// Weights of other forms of a word.
const (
	// formWeight is the maximum weight of all occurrences of other forms in a text together. 0: .939, .895; 1: the
	// same; TestFormsRankBelowTheWord fails with 1.
	formWeight = .5
	// formOccurs is the weight of another form in a title or heading. 0: .908, .876; 1: the same.
	formOccurs = .85
	// formImpact is the factor that reduces an impact for another form. It was chosen, not measured.
	formImpact = .8
	// formNames is how surely a word is defined where another form of it is (decorators where decorator is defined).
	// 0 and 1: the same; TestJ2Definitions fails with 0.
	formNames = .8
	// partlyNamed is the factor for a defined name of which the query has only some words. 0 and 1: the same.
	partlyNamed = .3
)

// Weights of all terms together, as multiples of their rarity.
const (
	// titleFit and headingFit are added if the title, or the last heading, equals the query. Without titleFit: .898,
	// .874, and TestJ2Ranking fails; without headingFit: .920, .892.
	titleFit, headingFit = 1.0, .9
	// nearness is added if the terms are adjacent. Without it: .920, .882.
	nearness = .5
	// leastCoverage is the factor for a chunk that has hardly any of the terms. 0: the same; 1: .918, .883.
	leastCoverage = .4
)

// Weights of pages.
const (
	// others is the share that the scores of a page's second and third best chunks add to the page's score. Without
	// it: .920, .891.
	others = .08
	// listing is the factor for a page that only lists the contents of other pages. Without it: .891, .860.
	listing = .55
	// copyFactor is the factor for a chunk whose text is on manyCopies pages, except on the best of these pages:
	// generated documentation repeats inherited methods on every page. 1: the same. With manyCopies = 2: .943, .907;
	// with 10: the same.
	copyFactor = .7
	manyCopies = 3
	// urlByte is the share of its score that a page loses for each byte of its address, up to 300 bytes. Of two
	// similar pages, the one with the shorter address ranks higher. Without it: the same.
	urlByte = .0003
	// fusionK determines how much more the first positions count than later ones when rankings are fused by the sum
	// of 1 / (k + position). 60 is the value of the paper
	// (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf).
	fusionK = 60
)

// Weights of passages, which decide which chunks of a page are shown. The questions do not measure passages, and no
// test fails when passageHeading or passageDefines is 0: these weights were chosen, not measured.
const (
	passageHeading = .3  // factor for the part of the chunk's score that is due to a heading
	passageDefines = 2   // factor for the part of the chunk's score that is due to a definition
	leastShown     = .25 // share of the score of the page's best passage; chunks below it are not shown
	surelyDefined  = .75 // how surely a text must define a term for the passage to begin there
)

// besideFactor is the factor on the scores of text beside the main content of a page. It was chosen, not measured: a
// match in the main content wins over an equally good one beside it, and no more.
const besideFactor = 0.8

// ZoneFactor returns the factor on the scores of a chunk in a zone of its page.
func ZoneFactor(zone string) float64 {
	if zone == "" {
		return 1
	}
	return besideFactor
}
