package describe

import (
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// looking are the operations about what sites publish from now on.
func looking() []operation {
	const indexNow = "A submission of the protocol IndexNow, for a site of the site file. Its key is looked for at the site, at most once a day while it is there. " +
		"Who submits cannot send headers: give out the address with `?code=` and a function key of its own. 403: no site of the site file, or the site does not show the key. " +
		"422: an address is not of the host, or not below the folder of the key. 429: the site cannot be asked for the key now, or as much was taken today as may be."
	return []operation{
		{
			route: "GET sites", id: "listSites", tag: tagSites,
			summary: "List the sites of the site file and the looks at them",
			gives:   ok(http.StatusOK, "The sites, in the order of the file.", api.Sites{}),
			shown:   []string{"E14 the sites"},
		},
		{
			route: "GET sites/{slug}", id: "getSite", tag: tagSites,
			summary: "Show a site and the looks at it",
			gives:   ok(http.StatusOK, "The site.", api.Site{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"E14 a look has ended"},
		},
		{
			route: "POST sites/{slug}/look", id: "lookAtSite", tag: tagSites,
			summary: "Look at a site's sitemaps and feeds now",
			about:   "The day's cap holds as for the daily look. 403 while looks are switched off.",
			gives:   ok(http.StatusAccepted, "The site; the look goes on by itself.", api.Site{}),
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"E14 a look is asked for"},
		},
		{
			route: "POST IndexNow", id: "indexNow", tag: tagSites,
			summary: "Submit pages that are new or have changed", about: indexNow,
			takes: []any{api.IndexNowRequest{}},
			gives: ok(http.StatusOK, "What became of the addresses.", api.IndexNowResult{}),
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 many pages"},
		},
		{
			route: "GET IndexNow", id: "indexNowOne", tag: tagSites,
			summary: "Submit one page that is new or has changed", about: indexNow,
			params: slices.Concat(required(query("url", "The page.", text())), required(query("key", "The key of its host.", text())),
				[]openapi.Parameter{query("keyLocation", "Where the host shows the key; at its root when left out.", text())}),
			gives: ok(http.StatusOK, "What became of the page.", api.IndexNowResult{}),
			fails: []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
			shown: []string{"E14 one page"},
		},
	}
}
