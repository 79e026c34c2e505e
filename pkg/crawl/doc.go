// Package crawl performs jobs. The items of a job are fetched politely and conditionally, compared,
// and stored. They are indexed only when their content, as a reader would see it, has changed. Then
// their next check is scheduled.
//
// A worker receives a job, begins the batch, runs the checks and commits. If the host has more due
// items, the worker then sends a job for them. The progress of a job decides which item comes next
// and when to commit. A check moves an item through stages, which take values and return values:
//
//	find     c.fetch                 asks robots.txt, then the source               site
//	         verdict.CompareAnswer   decides by status, header and bytes            pure
//	         c.read                  text, hashes, exclusions                       child process
//	         verdict.Compare         unchanged, changed, soft 404, unreadable       pure
//	place    c.placer.Resolve        finds the item that stands for it, if any      registry
//	         c.placer                removes from the index, or prepares an entry   index and registry
//	then     job.index               writes the pages of a batch to the index       index
//	         verdict.Record          status, history, next check                    pure
//
// An item stands for another item if it is in the index in that item's place. The item that is not
// in the index is then an alias.
//
// The first stage that decides the outcome ends the search for it:
//
//	purge     to be removed, moved, or gone for long: only the rows remain
//	pending   fetched before, but the index was down or is rebuilt, or a worker died before its commit:
//	          the stored snapshot is indexed, and the site is not asked
//	robots    forbidden: OutOfScope, out of the index
//	fetch     with the stored validators, unless forced or missing from the index
//	status    304: unchanged. 404, 410: missing, in the end Gone. 429, 503: the host is paused
//	bytes     the same: unchanged
//	unread    the same bytes that could not be read before: the same error
//	read      unknown type or noindex: stored, but out of the index
//	content   the same content hash: noise, unchanged
//	soft 404  like the host's answer for a page that cannot exist: missing
//	store     the body, then its capture with the edge to the capture that it supersedes
//	resolve   another item stands for this one: an alias, out of the index (also where nothing changed); the
//	          target of a permanent redirect within the site is registered
//	vectors   for new chunks, where there is a model
//	manifest  compares the planned contents of the index with the known ones; only the difference is written
//	index     only after this step is the page Indexed; without a configured index it stays at Crawled
//
// Package politeness asks hosts, package verdict decides the outcome of an answer, and package
// placement decides where content goes. Containers of blobs are in container.go.
//
// [politeness.Hosts.FetchResource] fetches resources that are not items, by the same rules, so that
// callers can find items in them.
//
// Faults of a page are data: they end up in the item's status, errorMessage and history.
// [Worker.Process] returns an error only when this program's own storage or index fails.
package crawl
