package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// setting are the operations by which people say what is done with items.
func setting() []operation {
	return []operation{
		{
			of: api.PatchItem.Endpoint, id: "patchItem", tag: tagSources,
			summary: "Change what is set for an item",
			about: "What is left out stays, null or an empty object removes what was set. The next check moves at once to " +
				"where it then is. A paused item is checked only when somebody asks for it.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"W9 an item has a schedule", "W9 the item has none any more"},
		},
		{
			of: api.StartBulk.Endpoint, id: "startBulk", tag: tagSources,
			summary: "Do one thing to many items",
			about: "To those of `ids`, or to all of a `filter`: tag, untag, check, pause, resume or remove. It goes on by " +
				"itself, a piece at a time, and is done once to each item whatever dies.",
			gives: "The run.",
			fails: []int{http.StatusConflict},
			shown: []string{"W11 resume all of a tag", "W11 tag some"},
		},
		{
			of: api.GetBulk.Endpoint, id: "getBulk", tag: tagSources,
			summary: "Tell how far it is",
			gives:   "The run.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W11 how far it is", "W11 what could not be done"},
		},
		{
			of: api.ListTags.Endpoint, id: "listTags", tag: tagSources,
			summary: "List the tags that set something",
			gives:   "The tags, by name.",
			shown:   []string{"W9 the tags"},
		},
		{
			of: api.SaveTag.Endpoint, id: "saveTag", tag: tagSources,
			summary: "Say what a tag sets",
			about: "For all items that have it, where they have no setting of their own. All that it set before is " +
				"replaced. `run` plans the next checks of its items anew.",
			gives: "The tag.",
			fails: []int{http.StatusConflict},
			shown: []string{"W9 a tag is defined"},
		},
		{
			of: api.GetTag.Endpoint, id: "getTag", tag: tagSources,
			summary: "Tell what a tag sets",
			gives:   "The tag.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"W9 a tag"},
		},
		{
			of: api.PatchTag.Endpoint, id: "patchTag", tag: tagSources,
			summary: "Change what a tag sets",
			about:   "What is left out stays, null or an empty object removes what was set.",
			gives:   "The tag.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W9 a tag is changed"},
		},
		{
			of: api.RemoveTag.Endpoint, id: "removeTag", tag: tagSources,
			summary: "Have a tag set nothing any more",
			about:   "Items keep it as a word.",
			gives:   "The tag as it was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"W9 a tag is removed"},
		},
	}
}
