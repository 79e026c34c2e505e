// Package ranking says how well chunks and pages answer a query: values in, values out. Of a chunk it reads the title
// of its page, the path of its headings and its text; of a query the terms and how rare each is.
//
// A word has an [Impact] on each chunk that has it, which is computed when the chunk is indexed. A query reads the
// chunks with the greatest impacts, and a [Scorer] scores these by all terms together: BM25, and beside it how close
// the terms stand, whether the title or the heading is the query, and whether the chunk defines what the query asks
// for. [Query.ScorePage] makes the score of a page of those of its chunks, and [Fuse] joins the ranking by words with
// one by vectors.
package ranking

// Each weight was measured by the 22 questions of `cmd/score -search` over the documentation of Python, Rust and Debian
// policy (docs/benchmarks.md), with an index that stays as it is. With all weights MRR is .943, nDCG@10 .901. Behind a
// weight are both figures when it alone has another value; one question more or less in the first place is about .02 of
// MRR. "The same" says that no question depends on the weight: it was chosen, not measured, unless a test is named.

// Weights of a term by itself, in parts of its rarity.
const (
	// titleTimes and headingTimes are how many occurrences in the text the title or a heading counts for. Without
	// titleTimes .920, .890; without headingTimes .908, .890.
	titleTimes, headingTimes = 3.0, 2.0
	// saturation is k1 of BM25: the greater it is, the more do further occurrences add. Half of it .898, .883; twice
	// .898, .868.
	saturation = 1.2
	// lengthPart is b of BM25: how much the length of a text reduces what an occurrence counts. 0: .916, .884;
	// 1: .898, .882.
	lengthPart = .6
	// definesIt is what it adds that the chunk defines the term. Without it .746, .739.
	definesIt = 1.2
	// titleDefines is how much less a title defines a term than a heading or the text. 0: .920, .881; 1: the same.
	titleDefines = .8
	// unlike is what is left of a symbol where the text spells it in another way (init for __init__). 0 and 1: the
	// same.
	unlike = .3
	// symbolParts is what the parts of a symbol count where the text does not have it whole. 0 and 1: the same;
	// TestJ2Ranking fails with 0.
	symbolParts = .5
	// elsewhere is what it adds that another chunk of the page has the term. 0: the same.
	elsewhere = .25
)

// Weights of other forms of a word.
const (
	// formWeight is more than all occurrences of other forms in a text count together. 0: .939, .895; 1: the
	// same; TestFormsRankBelowTheWord fails with 1.
	formWeight = .5
	// formOccurs is what another form counts in a title or heading. 0: .908, .876; 1: the same.
	formOccurs = .85
	// formImpact is what is left of an impact for another form. Chosen, not measured.
	formImpact = .8
	// formNames is how much a word counts as named where another form of it is defined (decorator for decorators). 0
	// and 1: the same; TestJ2Definitions fails with 0.
	formNames = .8
	// partlyNamed is what is left where the query has only some of the words of the name that is defined. 0 and 1: the
	// same.
	partlyNamed = .3
)

// Weights of all terms together, in parts of their rarity.
const (
	// titleFit and headingFit are what it adds that the title, or the last heading, is the query. Without titleFit
	// .898, .874, and TestJ2Ranking fails; without headingFit .920, .892.
	titleFit, headingFit = 1.0, .9
	// nearness is what it adds that the terms are side by side. Without it .920, .882.
	nearness = .5
	// leastCoverage is what is left of the score of a chunk that has hardly any of the terms. 0: the same; 1: .918,
	// .883.
	leastCoverage = .4
)

// Weights of pages.
const (
	// others is what the second and the third best chunk of a page add of their scores. Without it .920, .891.
	others = .08
	// listing is what is left of the score of a page that lists what other pages say. Without it .891, .860.
	listing = .55
	// copyFactor is what is left of the score of a chunk whose text manyCopies pages have, but for the best of them:
	// generated documentation repeats inherited methods on every page. 1: the same. From two pages on .943, .907, from
	// ten the same.
	copyFactor = .7
	manyCopies = 3
	// urlByte is by what part of its score each byte of its address puts a page behind another, up to 300: of two pages
	// that are alike the shorter address is first. Without it the same.
	urlByte = .0003
	// fusionK is how much weight the first positions have over later ones when rankings are fused by the sum of
	// 1 / (k + position). 60 is that of the paper (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf).
	fusionK = 60
)

// Weights of passages, which say which chunks of a page are shown. The questions do not measure passages, and no test
// fails when passageHeading or passageDefines is 0: these weights were chosen, not measured.
const (
	passageHeading = .3  // of what a heading adds to the score of a chunk
	passageDefines = 2   // times what a definition adds
	leastShown     = .25 // of the best passage of the page: those below are not shown
	surelyDefined  = .75 // how surely a text must define a term that its passage begins there
)
