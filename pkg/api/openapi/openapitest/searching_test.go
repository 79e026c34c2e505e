package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// searching describes the operations that read the index and the counts.
func searching() []operation {
	return []operation{
		{
			of: api.SearchByGet.Endpoint, id: "search", tag: tagSearch,
			summary: "Search",
			about:   "The same as POST, with the fields in the query.",
			gives:   "The pages found, in the requested order.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search", "search finds nothing", "J5 search is narrowed"},
		},
		{
			of: api.Search.Endpoint, id: "searchByPost", tag: tagSearch,
			summary: "Search, with the question in the body",
			about:   "This keeps what people search for out of logs of URLs.",
			gives:   "The pages found, in the requested order.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search by POST"},
		},
		{
			of: api.Suggest.Endpoint, id: "suggest", tag: tagSearch,
			summary: "Complete a query while it is typed",
			about: "Several words are completed by titles, a single word also by words that occur in many " +
				"titles.",
			gives: "At most eight completions.",
			fails: []int{http.StatusServiceUnavailable},
			shown: []string{"J5 suggestions"},
		},
		{
			of: api.Retrieve.Endpoint, id: "retrieve", tag: tagSearch,
			summary: "Find passages for a language model to answer from",
			about: "Returns whole passages; the best ones, for any of the questions, come first. Each text occurs " +
				"once, adjacent passages are joined, and the total stays within a budget of tokens. Each passage " +
				"has what is needed to cite it. Tokens are estimated: six letters, three digits or three bytes of " +
				"anything else count as one. With `stale: recheck`, up to five pages that were not verified within " +
				"`maxAge` are checked, which takes up to ten seconds; `checkedAt` shows the result.",
			gives: "The passages.",
			fails: []int{http.StatusServiceUnavailable},
			shown: []string{"J6 passages for a question", "J6 passages for several questions",
				"J6 all of it was verified too long ago"},
		},
		{
			of: api.GetStatus.Endpoint, id: "getStatus", tag: tagSearch,
			summary: "Count what is indexed, waits and fails",
			about:   "The numbers are read from counters, so the cost does not depend on the number of items.",
			gives:   "The counts of all hosts in total, and of each host.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 status of a host", "A23 status during a rebuild"},
		},
		{
			of: api.GetHost.Endpoint, id: "getHost", tag: tagSearch,
			summary: "Show how a host is treated, and why",
			about:   "The answer includes the counts and pauses of the host and the text of its robots.txt.",
			gives:   "The host.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 a host"},
		},
	}
}

// watching describes the operations on changes.
func watching() []operation {
	return []operation{
		{
			of: api.ListChanges.Endpoint, id: "listChanges", tag: tagChanges,
			summary: "List changes",
			about: "Newest first. To follow changes, read oldest first: send the `cursor` of an answer as " +
				"`since`, with `order=oldest`, and you will not miss any. 410: changes after that cursor are no " +
				"longer kept; start again without a cursor.",
			gives: "A page of changes.",
			fails: []int{http.StatusGone},
			shown: []string{"W1 nothing has changed yet", "W1 the newest change", "W1 what came since",
				"W1 changes that say something", "W1 changes of a time"},
		},
		{
			of: api.ListFailures.Endpoint, id: "listFailures", tag: tagChanges,
			summary: "List the pages that began to fail, by host and hour",
			about: "Newest first. They are the changes of kind failing, so they are kept as long as changes are. A page " +
				"that has recovered since stays in the list.",
			gives: "A page of failures.",
			shown: []string{"S17 failures", "S17 failures of a kind"},
		},
		{
			of: api.ChangesAtom.Endpoint, id: "changesAtom", tag: tagChanges,
			summary: "The newest changes as Atom",
			about:   "RFC 4287, with an ETag. Where keys are required, the query parameter `key` may be a key for feeds.",
			gives:   "The feed.", media: "application/atom+xml",
			shown: []string{"W4 a feed by Atom"},
		},
		{
			of: api.ChangesJSON.Endpoint, id: "changesJson", tag: tagChanges,
			summary: "The newest changes as a JSON Feed",
			about:   "JSON Feed 1.1, with an ETag. Where keys are required, `key` may be a key for feeds.",
			gives:   "The feed.", media: "application/feed+json",
			shown: []string{"W4 a JSON feed"},
		},
		{
			of: api.GetDiff.Endpoint, id: "getDiff", tag: tagChanges,
			summary: "Compare two captures",
			about: "Compares the first MiB of each text, line by line and word by word. Without `from` or `to` " +
				"it shows the last change.",
			gives: "The differences, with three lines of context.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W3 what differs", "W3 what differs from what was read",
				"W17 what differs, and what is ignored"},
		},
		{
			of: api.GetReader.Endpoint, id: "getReader", tag: tagChanges,
			summary: "Show how far you have read",
			about:   "Readers are told apart by the name of their key. Without keys, there is one reader.",
			gives:   "The reader.",
			shown:   []string{"W1 a reader"},
		},
		{
			of: api.SaveReader.Endpoint, id: "saveReader", tag: tagChanges,
			summary: "Save filters",
			about:   "They replace the filters saved before.",
			gives:   "The reader.",
			shown:   []string{"U3 a filter is kept"},
		},
		{
			of: api.MarkRead.Endpoint, id: "markRead", tag: tagChanges,
			summary: "Mark changes as read, or as unread again",
			about: "Marks everything up to the cursor of a list as read, or single changes. With `unread`, single " +
				"changes become unread again. The request can be repeated. Up to 2,000 changes can be marked one by one.",
			gives: "The reader.",
			shown: []string{"W1 the first change is read", "W1 everything is read", "Q13 one is unread again"},
		},
	}
}

// takingBack describes the operations that take an action back, or ignore a change from now on.
func takingBack() []operation {
	return []operation{
		{
			of: api.UndoAction.Endpoint, id: "undo", tag: tagChanges,
			summary: "Take an action back",
			about: "Answers of actions that can be taken back have an `undo`, with an id and the time until which it can be " +
				"used. 409: what the action changed was changed again since, or it was taken back already. 410: the time is over.",
			gives: "What is in force again.",
			fails: []int{404, 409, 410},
			shown: []string{"the removal is taken back"},
		},
		{
			of: api.IgnoreLines.Endpoint, id: "ignoreLines", tag: tagChanges,
			summary: "Ignore lines from now on",
			about: "Proposes a rule for each changed line of a hunk, or for a line: it lets differ what has moved, and " +
				"keeps the rest. Saves the rules, or patterns, and reports what they would have silenced in all kept " +
				"captures, without contacting the site. A line with a fact is chosen by its number only. `preview` saves " +
				"nothing, `undo` ends rules.",
			gives: "The rules, and what they silence.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"W10 what a rule would silence", "W10 ignore this", "W10 undo it", "W10 of a line"},
		},
	}
}

// remembering describes the operations on what moves on a page.
func remembering() []operation {
	return []operation{
		{
			of: api.GetMemory.Endpoint, id: "getMemory", tag: tagChanges,
			summary: "List the parts of a page that move",
			about: "Lists what is remembered of the page's lines: what has moved several times, how often, and whether its " +
				"moves are told. A page without a memory has an empty list.",
			gives: "The parts.",
			fails: []int{http.StatusNotFound},
			shown: []string{"Q9 what moves"},
		},
		{
			of: api.DecideMemory.Endpoint, id: "decideMemory", tag: tagChanges,
			summary: "Decide whether the moves of a part are told",
			about: "`always` and `never` overrule what was learnt, and stay with the part when its line moves. `forget` takes " +
				"a decision back; without one, the next change drops what is known of the part, and its first moves are " +
				"told again. 409: the page has 50 decisions, which are all that it may have.",
			gives: "The parts, with the decision.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"Q6 a person wants to be told", "Q6 the decision is taken back", "Q6 learn it anew"},
		},
		{
			of: api.ExplainItem.Endpoint, id: "explainItem", tag: tagChanges,
			summary: "Say why differences of a page are not told",
			about: "Lists the rules for lines that do not count, and the parts of the page that move. What a rule ignores " +
				"counts for nobody; what is silent is listed as a small change.",
			gives: "The rules and the parts.",
			fails: []int{http.StatusNotFound},
			shown: []string{"Q9 why something is not told"},
		},
	}
}

// trying describes the operations that try a watch before it is saved.
func trying() []operation {
	return []operation{
		{
			of: api.ListElements.Endpoint, id: "listElements", tag: tagChanges,
			summary: "List the elements of a captured page",
			about: "Lists the texts of a page in order, with a number for the element that shows each, to choose one by " +
				"`POST items/{id}/watch/try`. The numbers hold for one capture. A document without elements says `why`.",
			gives: "The lines, at most 300.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W23 what can be chosen", "W23 what has a text"},
		},
		{
			of: api.ListOffers.Endpoint, id: "listOffers", tag: tagChanges,
			summary: "List what a page offers to be told of",
			about: "Lists the prices, the availability, the lists and the numbers that the current capture shows. Each has " +
				"the interval of its kind, a patch of the watch of the item, and the condition of a rule: both can be saved " +
				"as they are. The site is not contacted.",
			gives: "The offers, at most 20.",
			fails: []int{http.StatusNotFound},
			shown: []string{"what a page offers"},
		},
		{
			of: api.TryWatch.Endpoint, id: "tryWatch", tag: tagChanges,
			summary: "Try a watch on the last captures",
			about: "Reports what a watch finds in the current capture and in those before it. Nothing is saved, and the " +
				"site is not contacted. For an element of a capture, a selector is made that finds exactly this element " +
				"there, and one element in as many of the other captures as possible.",
			gives: "The watch, and what it finds in each capture.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W23 what a selector finds", "W23 an element is chosen", "W23 an element is left out",
				"W23 what a pattern hides"},
		},
	}
}

// accepting describes the operations that accept a page as it is.
func accepting() []operation {
	return []operation{
		{
			of: api.AcceptItem.Endpoint, id: "acceptItem", tag: tagChanges,
			summary: "Accept a page as it is now, although most of its text is missing",
			about: "For an item that is `collapsed`, or whose watch is broken: the next check, which is requested now, " +
				"accepts what it finds. Registering the item again does not accept it. If there is nothing to accept, " +
				"nothing happens.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"X3 the page is right now"},
		},
		{
			of: api.AcceptWatch.Endpoint, id: "acceptWatch", tag: tagChanges,
			summary: "Accept the watched part of a page as it is now",
			about: "For an item whose watch is broken: the next check accepts what it finds in the watched part as " +
				"the new normal. Otherwise only a new selector has this effect. If the watch works, nothing " +
				"happens.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W16 this is right now"},
		},
	}
}

// migrations describes the operations that migrate a store to the present rules.
func migrations() []operation {
	return []operation{
		{
			of: api.StartMigration.Endpoint, id: "startMigration", tag: tagRebuilds,
			summary: "Migrate the contents of the store to the current rules",
			about: "This applies mainly to the identities of items after the list of tracking parameters was " +
				"changed; a newer version migrates automatically. Items that become the same are merged, which " +
				"cannot be undone: `dryRun` shows first what would change. Work done within 20 seconds is in the " +
				"answer; the rest continues in the background. A migration that is already running is returned " +
				"as it is.",
			gives: "The migration.",
			fails: []int{http.StatusConflict},
			shown: []string{"Z1 what a migration would do", "Z1 migrate"},
		},
		{
			of: api.GetMigration.Endpoint, id: "getMigration", tag: tagRebuilds,
			summary: "Show whether a migration is needed, and its progress",
			gives:   "The running migration, or the last one.",
			shown:   []string{"Z1 how far the migration is"},
		},
	}
}

// rebuilds describes the operations that index many items again.
func rebuilds() []operation {
	return []operation{
		{
			of: api.StartRebuild.Endpoint, id: "startRebuild", tag: tagRebuilds,
			summary: "Rebuild the index of everything or of a host, or audit it",
			gives:   "The rebuild. It continues in the background.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"A19 rebuild a host"},
		},
		{
			of: api.GetRebuild.Endpoint, id: "getRebuild", tag: tagRebuilds,
			summary: "Show the progress of a rebuild",
			gives:   "The rebuild.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A19 how far the rebuild is"},
		},
	}
}
