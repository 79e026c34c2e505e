package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// polling are the operations about what sites publish from now on.
func polling() []operation {
	const indexNow = "A submission of the protocol IndexNow, for a site of the site file. Its key is looked for at the " +
		"site, at most once a day while it is there. " +
		"Who submits cannot send headers: give out the address with `?code=` and a function key of its own. 403: no site " +
		"of the site file, or the site does not show the key. " +
		"422: an address is not of the host, or not below the folder of the key. 429: the site cannot be asked for the key " +
		"now, or as much was taken today as may be."
	return []operation{
		{
			of: api.ListSites.Endpoint, id: "listSites", tag: tagSites,
			summary: "List the sites and their polls",
			gives:   "The sites of the site file, in its order, then those that were added.",
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
			about: "What its sitemaps and feeds list is registered, at most `SENTINEL_MAX_PER_DAY` pages a day, and what is " +
				"new is found from then on. 403 while polling is switched off.",
			gives: "The site; its first poll goes on by itself.",
			fails: []int{http.StatusForbidden, http.StatusConflict},
			shown: []string{"U6 a site is added"},
		},
		{
			of: api.RemoveSite.Endpoint, id: "removeSite", tag: tagSites,
			summary: "Remove a site that was added",
			about:   "It is polled no more. Its pages stay. 409 for one of the site file.",
			gives:   "The site as it was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"U6 the site is removed"},
		},
		{
			of: api.PollSite.Endpoint, id: "lookAtSite", tag: tagSites,
			summary: "Poll a site's sitemaps and feeds now",
			about:   "The day's cap holds as for the daily poll. 403 while polling is switched off.",
			gives:   "The site; the poll goes on by itself.",
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E14 a look is asked for"},
		},
		{
			of: api.IndexNow.Endpoint, id: "indexNow", tag: tagSites,
			summary: "Submit pages that are new or have changed", about: indexNow,
			gives: "What became of the addresses.",
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 many pages"},
		},
		{
			of: api.IndexNowURL.Endpoint, id: "indexNowOne", tag: tagSites,
			summary: "Submit one page that is new or has changed", about: indexNow,
			gives: "What became of the page.",
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 one page"},
		},
	}
}
