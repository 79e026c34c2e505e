package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// notifying describes the operations on notification rules.
func notifying() []operation {
	return []operation{
		{
			of: api.ExplainChange.Endpoint, id: "explainChange", tag: tagNotify,
			summary: "Show who was notified of a change, and why",
			gives: "The change with the text that was ignored in it, the rules that it matches, what became of it " +
				"for each rule that is for its page, and its deliveries.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W17 why was I told"},
		},
		{
			of: api.ListRules.Endpoint, id: "listRules", tag: tagNotify,
			summary: "List the rules",
			about: "Rules that were added here, and rules of the file named by RULES_FILE, which are edited in " +
				"that file. Rules for one page come last, and only so many of them per answer.",
			gives: "The rules, by name, and then those for one page, by page.",
			shown: []string{"W5 the rules"},
		},
		{
			of: api.AddRule.Endpoint, id: "addRule", tag: tagNotify,
			summary: "Create a rule",
			about: "The rule applies to changes from now on. A rule that can fire on none of its pages is not saved, " +
				"unless anyway is true: 409, with the reasons in cannot. A burst of changes, such as a first crawl, is sent as " +
				"one digest: after ten messages in ten minutes, further changes are gathered until none has come " +
				"for ten minutes, or for one hour at most.",
			gives: "The rule.",
			fails: []int{http.StatusConflict},
			shown: []string{"W5 a rule"},
		},
		{
			of: api.GetRule.Endpoint, id: "getRule", tag: tagNotify,
			summary: "Show a rule",
			gives:   "The rule, and the number of changes that wait for its digest.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W5 one rule"},
		},
		{
			of: api.SaveRule.Endpoint, id: "saveRule", tag: tagNotify,
			summary: "Replace a rule",
			gives:   "The rule.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the rule is another"},
		},
		{
			of: api.PatchRule.Endpoint, id: "patchRule", tag: tagNotify,
			summary: "Change a rule",
			about: "The request is a JSON Merge Patch (RFC 7396): what is left out stays, and null removes a setting. A " +
				"rule of the file named by RULES_FILE is refused.",
			gives: "The rule.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"V2 a rule is changed", "V2 the rule is switched off"},
		},
		{
			of: api.RemoveRule.Endpoint, id: "removeRule", tag: tagNotify,
			summary: "Remove a rule",
			about:   "Changes that the rule has gathered are not sent.",
			gives:   "The removed rule.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the rule is removed"},
		},
		{
			of: api.TestRule.Endpoint, id: "testRule", tag: tagNotify,
			summary: "Try a rule on the newest changes",
			about:   "Nothing is sent.",
			gives: "What the rule would have sent for the changes of the last 30 days. At most the newest " +
				"5,000 changes are tried.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W5 what the rule would have told"},
		},
		{
			of: api.PreviewRule.Endpoint, id: "previewRule", tag: tagNotify,
			summary: "Try a rule without creating it",
			about:   "Nothing is saved or sent. The rule needs no name and no channel.",
			gives: "What the rule would have sent for the changes of the last 30 days. At most the newest " +
				"5,000 changes are tried.",
			shown: []string{"W5 what a rule would send before it is created"},
		},
	}
}

// telling describes the operations on channels and deliveries.
func telling() []operation {
	return []operation{
		{
			of: api.ListChannels.Endpoint, id: "listChannels", tag: tagNotify,
			summary: "List the channels",
			about: "The name of a secret is shown, but never the secret itself. A key of the scope read gets no fields of " +
				"services. A channel that cannot be used at " +
				"present says why.",
			gives: "The channels, by name.",
			shown: []string{"W5 the channels"},
		},
		{
			of: api.AddChannel.Endpoint, id: "addChannel", tag: tagNotify,
			summary: "Create a channel",
			about: "A webhook is signed as Standard Webhooks describes. Its body is a `ChangeEvent`, a " +
				"`DigestEvent`, a `CannotEvent` or a `TestEvent`, in CloudEvents format. A webhook that names no secret gets a " +
				"generated one, which is shown only in this answer. A service has fields, such as `host`, `from` and " +
				"`to` of `smtp`; its secret fields are stored encrypted and never returned. An address that is not public is " +
				"refused unless WEBHOOK_ALLOW_HOSTS has it.",
			gives: "The channel.",
			fails: []int{http.StatusConflict},
			shown: []string{"W5 a webhook", "W5 a service", "P1 mail"},
		},
		{
			of: api.SaveChannel.Endpoint, id: "saveChannel", tag: tagNotify,
			summary: "Replace a channel",
			gives:   "The channel.", fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"W5 a webhook with a secret of one's own"},
		},
		{
			of: api.PatchChannel.Endpoint, id: "patchChannel", tag: tagNotify,
			summary: "Change a channel",
			about: "The request is a JSON Merge Patch (RFC 7396): what is left out stays, also stored secrets and each of " +
				"`fields`, and null removes a setting. A channel of the file named by RULES_FILE is refused.",
			gives: "The channel.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"V2 a mailbox has another receiver"},
		},
		{
			of: api.RemoveChannel.Endpoint, id: "removeChannel", tag: tagNotify,
			summary: "Remove a channel that no rule uses",
			gives:   "The removed channel.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W5 the channel is removed"},
		},
		{
			of: api.TestChannel.Endpoint, id: "testChannel", tag: tagNotify,
			summary: "Send a test message",
			about: "Without a body, to the channel as it is stored. A body describes a channel to test in its place; " +
				"nothing is saved. Secrets that the body leaves out are the stored ones, as when the channel is changed.",
			gives: "The receiver's answer.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W7 a test", "P1 a test before saving"},
		},
		{
			of: api.CheckChannel.Endpoint, id: "checkChannel", tag: tagNotify,
			summary: "Check a channel before it is saved",
			about: "Nothing is saved or sent. The name of the receiver is looked up, so that an address that is not allowed " +
				"is found.",
			gives: "All that is wrong with its fields, and why no message can be sent there at present.",
			shown: []string{"P1 what is wrong with a channel"},
		},
		{
			of: api.ListDeliveries.Endpoint, id: "listDeliveries", tag: tagNotify,
			summary: "List deliveries",
			about: "Waiting deliveries first, then the others, newest first. Each is tried for a day, and kept " +
				"for 30 days after it has ended.",
			gives: "A page of deliveries.",
			shown: []string{"W6 what waits", "W6 what was sent"},
		},
		{
			of: api.RetryDelivery.Endpoint, id: "retryDelivery", tag: tagNotify,
			summary: "Send a message again",
			about:   "The message is sent at once, and retried for another day if that fails. It keeps its id.",
			gives:   "The delivery, which waits.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W6 send again"},
		},
	}
}

// muting describes the operations on mutes.
func muting() []operation {
	return []operation{
		{
			of: api.ListMutes.Endpoint, id: "listMutes", tag: tagNotify,
			summary: "List the mutes",
			about:   "Mutes that have ended are not listed.",
			gives:   "The mutes, the newest first.",
			shown:   []string{"W18 the mutes"},
		},
		{
			of: api.AddMute.Endpoint, id: "addMute", tag: tagNotify,
			summary: "Mute a page, or a rule on a page",
			about: "A mute stops messages only: changes stay in all lists and unread. What was kept back is not sent " +
				"later. If the same is muted already, the mute gets the new end.",
			gives: "The mute.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W18 a page is muted"},
		},
		{
			of: api.RemoveMute.Endpoint, id: "removeMute", tag: tagNotify,
			summary: "End a mute",
			gives:   "The mute, which has ended.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W18 a mute ends"},
		},
		{
			of: api.GetPublicAddress.Endpoint, id: "getPublicAddress", tag: tagNotify,
			summary: "Show the address to which messages lead",
			about:   "It is PUBLIC_URL, or what an administrator has confirmed, and never taken from a request.",
			gives:   "The address; empty if nobody has given one.",
			shown:   []string{"W20 no address yet"},
		},
		{
			of: api.SavePublicAddress.Endpoint, id: "savePublicAddress", tag: tagNotify,
			summary: "Confirm the address to which messages lead",
			about:   "The dashboard proposes the address in the browser. An empty one removes what was confirmed.",
			gives:   "The address.",
			fails:   []int{http.StatusConflict},
			shown:   []string{"W20 an address is confirmed"},
		},
	}
}
