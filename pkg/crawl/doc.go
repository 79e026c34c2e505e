// Package crawl turns a job into what its items have become: fetched politely and
// conditionally, compared, kept, indexed only when what a reader would call the content has
// changed, and scheduled for the next look.
//
// One check, in order; each step ends it when it can:
//
//	debt      fetched before, but the index was down, is rebuilt, or was left by a worker that did not
//	          come back: index the stored snapshot, ask nobody
//	robots    forbidden: OutOfScope, out of the index
//	fetch     with the stored validators, unless forced or the index has nothing of it
//	status    304: unchanged. 404, 410: missing, in the end Gone. 429, 503: the host is left alone
//	raw       the same bytes: unchanged
//	unread    what could not be read before, unchanged: the same error
//	extract   unknown type or noindex: kept, but out of the index
//	content   the same content hash: noise, unchanged
//	soft 404  what the host also shows for a page that cannot exist: missing
//	keep      the body, then its capture with the edge to what it supersedes
//	canonical another item stands for it: an alias, out of the index (also where nothing changed)
//	vectors   of chunks that are new, where there is a model
//	manifest  what the index is to hold, beside what it is known to hold: the difference is written
//	index     then, and only then, Indexed; where none is configured, the page rests at Crawled
//
// [Worker.Visit] fetches what is no item, to find items on it, by the same rules.
//
// What a page does wrong is data: it ends in the item's status, errorMessage and history. Only
// what our own storage or index does wrong is an error of [Worker.Process].
package crawl
