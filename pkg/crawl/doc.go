// Package crawl turns a job into what its items have become: fetched politely and
// conditionally, compared, stored, indexed only when what a reader would call the content has
// changed, and scheduled for the next check.
//
// A worker takes a job, begins the batch, runs the checks, commits and refills. The progress of a job says which item
// comes next and when to commit. A check takes an item through stages, which take values and
// return values:
//
//	find     c.fetch                 asks robots.txt, then the source               site
//	         verdict.CompareAnswer   what status, header and bytes say              pure
//	         c.read                  text, hashes, exclusions                       child process
//	         verdict.Compare         unchanged, changed, soft 404, unreadable       pure
//	place    c.placer.Resolve        the item that stands for it, if any            registry
//	         c.placer                leaves the index, or readies the page for it   index and registry
//	then     job.index               the pages of a batch enter the index together
//	         verdict.Record          status, history, next check                    pure
//
// The first stage that knows the outcome ends the search for it:
//
//	purge     to be removed, moved or gone for long: nothing is left but the rows
//	pending   fetched before, but the index was down, is rebuilt, or was left by a worker that did not
//	          come back: the stored snapshot is indexed, and no site is asked
//	robots    forbidden: OutOfScope, out of the index
//	fetch     with the stored validators, unless forced or the index has nothing of it
//	status    304: unchanged. 404, 410: missing, in the end Gone. 429, 503: the host is left alone
//	bytes     the same: unchanged
//	unread    what could not be read before, unchanged: the same error
//	read      unknown type or noindex: stored, but out of the index
//	content   the same content hash: noise, unchanged
//	soft 404  what the host also shows for a page that cannot exist: missing
//	store     the body, then its capture with the edge to what it supersedes
//	resolve   another item stands for it: an alias, out of the index (also where nothing changed); where a
//	          permanent redirect leads within the site is registered
//	vectors   of chunks that are new, where there is a model
//	manifest  what the index is to hold, beside what it is known to hold: the difference is written
//	index     then, and only then, Indexed; where none is configured, the page stays at Crawled
//
// What is asked of a host is in package politeness, what an answer means in package verdict, and where content goes in
// package placement. Containers of blobs are in container.go.
//
// [politeness.Hosts.FetchResource] fetches what is no item, to find items in it, by the same rules.
//
// What a page does wrong is data: it ends in the item's status, errorMessage and history. Only
// what our own storage or index does wrong is an error of [Worker.Process].
package crawl
