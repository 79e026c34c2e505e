package source

import (
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxRoute is the length of the longest route that is recorded or shown, in bytes.
const maxRoute = 100

// Route returns the part of an address by which an application names one of its own pages in the fragment, such as
// #/prices or #!/prices; "" if there is none, or if it is too long to be kept.
func Route(address string) string {
	if route := routeOf(address); len(route) <= maxRoute {
		return route
	}
	return ""
}

func routeOf(address string) string {
	_, fragment, _ := strings.Cut(address, "#")
	route, _, _ := strings.Cut(fragment, "?")
	if !strings.HasPrefix(route, "/") && !strings.HasPrefix(route, "!") {
		return ""
	}
	return "#" + route
}

// RouteWarning says for people what becomes of the route of an address that they gave for a page: an identity has no
// fragment (A1). It returns "" for an address without a route.
func RouteWarning(given string) string {
	route := routeOf(given)
	if route == "" {
		return ""
	}
	return fmt.Sprintf("%s is not part of the address: the page is read without it, and any other route of the page is "+
		"the same item", words.Ellipsis(route, maxRoute))
}
