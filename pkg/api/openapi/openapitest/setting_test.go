package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// setting describes the operations on the settings of items and tags.
func setting() []operation {
	return []operation{
		{
			of: api.PatchItem.Endpoint, id: "patchItem", tag: tagSources,
			summary: "Change the settings of an item",
			about: "The request is a JSON Merge Patch (RFC 7396): what is left out stays, and null removes a setting. " +
				"An interval replaces a schedule, and a schedule an interval; `replaced` says so. The next " +
				"check is rescheduled at once. A paused item is checked only on request.",
			gives: "The item, with the settings in force.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W9 an item has a schedule", "W9 the item has none any more"},
		},
		{
			of: api.StartBulk.Endpoint, id: "startBulk", tag: tagSources,
			summary: "Apply an operation to many items",
			about: "The operation (tag, untag, check, pause, resume or remove) applies to the items in `ids`, or to " +
				"all that match `filter`. It continues in the background, and is applied exactly once to each item " +
				"even if processes die. Of checks, the run says how many begin at once, and which hosts' wait.",
			gives: "The run.",
			fails: []int{http.StatusConflict},
			shown: []string{"W11 resume all of a tag", "W11 tag some"},
		},
		{
			of: api.UndoAction.Endpoint, id: "undo", tag: tagSources,
			summary: "Take an action back",
			about: "Changes of items, tags, rules and mutes, removals of items, what was marked as read, and bulk " +
				"operations answer with `undo`. This puts back exactly what such an action has changed. If the same was " +
				"changed meanwhile, nothing is put back: 409, and `detail` names it. The key needs the scope that the " +
				"action needed; what was marked as read is taken back by its reader only.",
			gives: "What is in force again.",
			fails: []int{http.StatusNotFound, http.StatusConflict, http.StatusGone},
			shown: []string{"the removal is taken back"},
		},
		{
			of: api.GetBulk.Endpoint, id: "getBulk", tag: tagSources,
			summary: "Show the progress of a bulk operation",
			gives:   "The run.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W11 how far it is", "W11 what could not be done", "W37 what waits"},
		},
	}
}

// tagging describes the operations on the settings of tags.
func tagging() []operation {
	return []operation{
		{
			of: api.ListTags.Endpoint, id: "listTags", tag: tagSources,
			summary: "List the tags that have settings",
			gives:   "The tags, by name.",
			shown:   []string{"W9 the tags"},
		},
		{
			of: api.SaveTag.Endpoint, id: "saveTag", tag: tagSources,
			summary: "Create or replace the settings of a tag",
			about: "The settings apply to all items with the tag that have no setting of their own. All earlier " +
				"settings of the tag are replaced. `run` reschedules the next checks of its items.",
			gives: "The tag.",
			fails: []int{http.StatusConflict},
			shown: []string{"W9 a tag is defined"},
		},
		{
			of: api.GetTag.Endpoint, id: "getTag", tag: tagSources,
			summary: "Show the settings of a tag",
			gives:   "The tag.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W9 a tag"},
		},
		{
			of: api.PatchTag.Endpoint, id: "patchTag", tag: tagSources,
			summary: "Change the settings of a tag",
			about: "The request is a JSON Merge Patch (RFC 7396): what is left out stays, and null removes a setting. " +
				"A tag without settings gets those that are named.",
			gives: "The tag.",
			fails: []int{http.StatusConflict},
			shown: []string{"W9 a tag is changed"},
		},
		{
			of: api.RemoveTag.Endpoint, id: "removeTag", tag: tagSources,
			summary: "Remove the settings of a tag",
			about:   "Items keep the tag.",
			gives:   "The tag as it was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W9 a tag is removed"},
		},
	}
}
