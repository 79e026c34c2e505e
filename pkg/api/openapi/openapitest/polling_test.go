package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// polling describes the operations on the polls of sites.
func polling() []operation {
	const indexNow = "A submission by the IndexNow protocol, for a site of the site file. The key is looked up at the " +
		"site, at most once a day while it is there. " +
		"Submitters cannot send headers: give them the address with `?code=` and a function key of its own. 403: the host " +
		"is not in the site file, or the site does not publish the key. " +
		"422: an address belongs to another host, or is not below the folder of the key. 429: the key cannot be looked up " +
		"now, or the daily limit is reached."
	return []operation{
		{
			of: api.ListSites.Endpoint, id: "listSites", tag: tagSites,
			summary: "List the sites and their polls",
			gives:   "The sites of the site file, in its order, then the sites that were added.",
			shown:   []string{"E14 the sites"},
		},
		{
			of: api.GetSite.Endpoint, id: "getSite", tag: tagSites,
			summary: "Show a site and its polls",
			gives:   "The site.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"E14 a look has ended"},
		},
		{
			of: api.AddSite.Endpoint, id: "addSite", tag: tagSites,
			summary: "Add a site",
			about: "Pages listed in its sitemaps and feeds are registered, at most `SENTINEL_MAX_PER_DAY` pages " +
				"a day, and new pages are discovered from then on. Where nothing lists its pages, `question` of the site says " +
				"after the first poll what was tried and found, and what to send here to use it. With `follow`, links are " +
				"followed. 403 while polling is switched off.",
			gives: "The site, or the dry run. Its first poll continues in the background.",
			fails: []int{http.StatusForbidden, http.StatusConflict},
			shown: []string{"U6 a site is added"},
		},
		{
			of: api.PatchSite.Endpoint, id: "patchSite", tag: tagSites,
			summary: "Change what is read of a site that was added",
			about: "The request is a JSON Merge Patch (RFC 7396): what is left out stays, and null removes a setting. The " +
				"site is read anew. 403 while polling is switched off; 409, with the name of the file, for a site of the site " +
				"file.",
			gives: "The site; `set` has what is set now.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"V2 what is read is changed"},
		},
		{
			of: api.RemoveSite.Endpoint, id: "removeSite", tag: tagSites,
			summary: "Remove a site that was added",
			about:   "The site is no longer polled. Its pages stay. 409 for a site of the site file.",
			gives:   "The site as it was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"U6 the site is removed"},
		},
		{
			of: api.PollSite.Endpoint, id: "lookAtSite", tag: tagSites,
			summary: "Poll a site's sitemaps and feeds now",
			about:   "The daily limit applies. 403 while polling is switched off.",
			gives:   "The site. The poll continues in the background.",
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E14 a look is asked for"},
		},
		{
			of: api.IndexNow.Endpoint, id: "indexNow", tag: tagSites,
			summary: "Submit pages that are new or have changed", about: indexNow,
			gives: "The result for the addresses.",
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 many pages"},
		},
		{
			of: api.IndexNowURL.Endpoint, id: "indexNowOne", tag: tagSites,
			summary: "Submit one page that is new or has changed", about: indexNow,
			gives: "The result for the page.",
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 one page"},
		},
	}
}
