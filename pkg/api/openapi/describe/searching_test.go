package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// searching are the operations that read the index and the counts.
func searching() []operation {
	return []operation{
		{
			of: api.SearchByGet.Endpoint, id: "search", tag: tagSearch,
			summary: "Search",
			about:   "As POST, with the same names in the query.",
			gives:   "The pages found, in the order asked for.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search", "search finds nothing", "J5 search is narrowed"},
		},
		{
			of: api.Search.Endpoint, id: "searchByPost", tag: tagSearch,
			summary: "Search, with the question in the body",
			about:   "What people look for stays out of logs of addresses.",
			gives:   "The pages found, in the order asked for.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search by POST"},
		},
		{
			of: api.Suggest.Endpoint, id: "suggest", tag: tagSearch,
			summary: "Complete what somebody types",
			about:   "For a search as you type: by titles, and a single word by the words that pages are called by.",
			gives:   "At most eight completions.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"J5 suggestions"},
		},
		{
			of: api.Retrieve.Endpoint, id: "retrieve", tag: tagSearch,
			summary: "Find the passages that answer, for a language model",
			about: "Whole passages, the best of all questions first, each text once and those that follow each other as one, " +
				"within a budget of tokens, and each with what an answer cites it by. Tokens are estimated: six letters, three " +
				"digits or three bytes of anything else are one. `stale: recheck` has up to five pages checked that were not " +
				"verified within `maxAge`, for which it waits up to ten seconds; `checkedAt` tells what came of it.",
			gives: "The passages.",
			fails: []int{http.StatusServiceUnavailable},
			shown: []string{"J6 passages for a question", "J6 passages for several questions",
				"J6 all of it was verified too long ago"},
		},
		{
			of: api.GetStatus.Endpoint, id: "getStatus", tag: tagSearch,
			summary: "Count what is indexed, waits and fails",
			about:   "Read from counters: it costs the same however many items there are.",
			gives:   "The counts of all hosts together, and of each.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 status of a host", "A23 status during a rebuild"},
		},
		{
			of: api.GetHost.Endpoint, id: "getHost", tag: tagSearch,
			summary: "Show how a host is treated, and why",
			about:   "With its counts, its pauses and what its robots.txt says.",
			gives:   "The host.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 a host"},
		},
	}
}

// watching are the operations on what has changed.
func watching() []operation {
	return []operation{
		{
			of: api.ListChanges.Endpoint, id: "listChanges", tag: tagChanges,
			summary: "List what has changed",
			about: "The newest first, or, for who follows, the oldest first: send the `cursor` of an answer as `since`, with " +
				"`order=oldest`, and nothing is missed. 410: what came after that cursor is not kept any more; begin anew " +
				"without one.",
			gives: "A page of changes.",
			fails: []int{http.StatusGone},
			shown: []string{"W1 nothing has changed yet", "W1 the newest change", "W1 what came since",
				"W1 changes that say something", "W1 changes of a time"},
		},
		{
			of: api.ChangesAtom.Endpoint, id: "changesAtom", tag: tagChanges,
			summary: "The newest changes as Atom",
			about:   "By RFC 4287, with an ETag. Where a key is needed, `key` in the address may be one for feeds.",
			gives:   "The feed.", media: "application/atom+xml",
			shown: []string{"W4 a feed by Atom"},
		},
		{
			of: api.ChangesJSON.Endpoint, id: "changesJson", tag: tagChanges,
			summary: "The newest changes as a JSON Feed",
			about:   "By JSON Feed 1.1, with an ETag. Where a key is needed, `key` in the address may be one for feeds.",
			gives:   "The feed.", media: "application/feed+json",
			shown: []string{"W4 a JSON feed"},
		},
		{
			of: api.GetDiff.Endpoint, id: "getDiff", tag: tagChanges,
			summary: "Show what differs between two captures",
			about: "Line by line and word by word: the first mebibyte of each text. Without `from` or `to`, of the last " +
				"change.",
			gives: "The places that differ, with three lines around them.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W3 what differs", "W3 what differs from what was read",
				"W17 what differs, and what is ignored"},
		},
		{
			of: api.GetReader.Endpoint, id: "getReader", tag: tagChanges,
			summary: "Show how far you have read",
			about:   "Whoever has a key reads by its name; where nobody needs one, the person of the machine does.",
			gives:   "The reader.",
			shown:   []string{"W1 a reader"},
		},
		{
			of: api.SaveReader.Endpoint, id: "saveReader", tag: tagChanges,
			summary: "Keep filters",
			about:   "Lists that you want to see again, in place of those that were kept before.",
			gives:   "The reader.",
			shown:   []string{"U3 a filter is kept"},
		},
		{
			of: api.MarkRead.Endpoint, id: "markRead", tag: tagChanges,
			summary: "Mark changes as read",
			about: "Everything up to the cursor of a list, or some changes. It may be repeated, and nothing becomes unread " +
				"by it. 2,000 changes are kept one by one.",
			gives: "The reader.",
			shown: []string{"W1 the first change is read", "W1 everything is read"},
		},
		{
			of: api.IgnoreLines.Endpoint, id: "ignoreLines", tag: tagChanges,
			summary: "Ignore lines from now on",
			about: "Makes rules of a hunk, a line or a pattern, and tells what they would have silenced in the last 30 " +
				"captures, without asking the site. `preview` keeps nothing, `undo` removes a rule.",
			gives: "The rules, and what they silence.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"W10 what a rule would silence", "W10 ignore this", "W10 undo it", "W10 of a line"},
		},
		{
			of: api.AcceptWatch.Endpoint, id: "acceptWatch", tag: tagChanges,
			summary: "Say that what is watched is right now",
			about: "Of an item whose watch is broken: the check that follows takes what it finds of the watched part for what " +
				"it should be. Nothing else accepts it but another selector. While the watch works, nothing happens.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W16 this is right now"},
		},
	}
}

// migrations are the operations that bring a store to the present rules.
func migrations() []operation {
	return []operation{
		{
			of: api.StartMigration.Endpoint, id: "startMigration", tag: tagRebuilds,
			summary: "Bring what the store holds to the present rules",
			about: "First of all the identities of items, after the list of trackers was changed; a newer version migrates " +
				"by itself. Items that become one are joined, which cannot be undone: `dryRun` tells before what would change. " +
				"What is done within 20 seconds is in the answer, the rest follows by itself. " +
				"One that goes on is answered as it is.",
			gives: "The migration.",
			fails: []int{http.StatusConflict},
			shown: []string{"Z1 what a migration would do", "Z1 migrate"},
		},
		{
			of: api.GetMigration.Endpoint, id: "getMigration", tag: tagRebuilds,
			summary: "Show whether a migration is needed, and how far it is",
			gives:   "The migration that goes on, or was last.",
			shown:   []string{"Z1 how far the migration is"},
		},
	}
}

// rebuilds are the operations that have many items indexed anew.
func rebuilds() []operation {
	return []operation{
		{
			of: api.StartRebuild.Endpoint, id: "startRebuild", tag: tagRebuilds,
			summary: "Index everything, or a host, anew; or audit it",
			gives:   "The rebuild, which goes on by itself.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"A19 rebuild a host"},
		},
		{
			of: api.GetRebuild.Endpoint, id: "getRebuild", tag: tagRebuilds,
			summary: "Show how far a rebuild is",
			gives:   "The rebuild.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A19 how far the rebuild is"},
		},
	}
}
