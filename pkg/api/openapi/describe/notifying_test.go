package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// notifying are the operations on who is told of changes.
func notifying() []operation {
	return []operation{
		{
			of: api.ExplainChange.Endpoint, id: "explainChange", tag: tagNotify,
			summary: "Say who was told of a change, and why",
			gives:   "The change, with what was ignored of it, the rules that it meets, and its deliveries.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W17 why was I told"},
		},
		{
			of: api.ListRules.Endpoint, id: "listRules", tag: tagNotify,
			summary: "List the rules",
			about:   "Those that are kept here, and those of the file that RULES_FILE names, which are changed there.",
			gives:   "The rules, by name.",
			shown:   []string{"W5 the rules"},
		},
		{
			of: api.AddRule.Endpoint, id: "addRule", tag: tagNotify,
			summary: "Make a rule",
			about: "It tells of what changes from now on. A burst, such as a first crawl, is told in one digest: after ten " +
				"messages in ten minutes the rest is gathered, until nothing has come for ten minutes, or for an hour.",
			gives: "The rule.",
			shown: []string{"W5 a rule"},
		},
		{
			of: api.GetRule.Endpoint, id: "getRule", tag: tagNotify,
			summary: "Show a rule",
			gives:   "The rule, and how many changes wait for its digest.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W5 one rule"},
		},
		{
			of: api.SaveRule.Endpoint, id: "saveRule", tag: tagNotify,
			summary: "Change a rule",
			gives:   "The rule.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the rule is another"},
		},
		{
			of: api.RemoveRule.Endpoint, id: "removeRule", tag: tagNotify,
			summary: "Remove a rule",
			about:   "What it has gathered is not told any more.",
			gives:   "The rule that was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the rule is removed"},
		},
		{
			of: api.TestRule.Endpoint, id: "testRule", tag: tagNotify,
			summary: "Try a rule on the newest changes",
			about:   "Nothing is sent.",
			gives:   "What it would have told of in the last 30 days, of the newest thousand changes.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W5 what the rule would have told"},
		},
		{
			of: api.PreviewRule.Endpoint, id: "previewRule", tag: tagNotify,
			summary: "Try a rule that is not there yet",
			about:   "Nothing is kept and nothing is sent. It needs no name and no channel.",
			gives:   "What it would have told of in the last 30 days, of the newest thousand changes.",
			shown:   []string{"W5 what a rule would tell that is none yet"},
		},
	}
}

// telling are the operations on the ways to tell, and on what was told.
func telling() []operation {
	return []operation{
		{
			of: api.ListChannels.Endpoint, id: "listChannels", tag: tagNotify,
			summary: "List the channels",
			about:   "Secrets are named, never shown. A channel says why nothing can be sent to it now.",
			gives:   "The channels, by name.",
			shown:   []string{"W5 the channels"},
		},
		{
			of: api.AddChannel.Endpoint, id: "addChannel", tag: tagNotify,
			summary: "Make a channel",
			about: "A webhook is signed by Standard Webhooks, and its body is one of `ChangeEvent`, `DigestEvent` and " +
				"`TestEvent`, which are CloudEvents. One that names no secret gets one, which is shown this once.",
			gives: "The channel.",
			fails: []int{http.StatusConflict},
			shown: []string{"W5 a webhook", "W5 a service"},
		},
		{
			of: api.SaveChannel.Endpoint, id: "saveChannel", tag: tagNotify,
			summary: "Change a channel",
			gives:   "The channel.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 a webhook with a secret of one's own"},
		},
		{
			of: api.RemoveChannel.Endpoint, id: "removeChannel", tag: tagNotify,
			summary: "Remove a channel that no rule names",
			gives:   "The channel that was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the channel is removed"},
		},
		{
			of: api.TestChannel.Endpoint, id: "testChannel", tag: tagNotify,
			summary: "Send a test",
			gives:   "What the receiver says.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W7 a test"},
		},
		{
			of: api.ListDeliveries.Endpoint, id: "listDeliveries", tag: tagNotify,
			summary: "List the messages to receivers",
			about: "Those that wait, then the others, the newest first. Each is tried for a day, and kept for 30 days after " +
				"it was made.",
			gives: "A page of deliveries.",
			shown: []string{"W6 what waits", "W6 what was sent"},
		},
		{
			of: api.RetryDelivery.Endpoint, id: "retryDelivery", tag: tagNotify,
			summary: "Send a message again",
			about:   "At once, and for another day if that fails. Its id is the same.",
			gives:   "The delivery, which waits.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W6 send again"},
		},
	}
}
