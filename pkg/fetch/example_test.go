package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "high water at 04:12")
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")

	exempt, _ := fetch.New(fetch.Config{AllowHosts: []string{host}})
	page, err := exempt.Get(context.Background(), fetch.Request{URL: server.URL})
	fmt.Println(page.Status, string(page.Body), err)

	guarded, _ := fetch.New(fetch.Config{})
	_, err = guarded.Get(context.Background(), fetch.Request{URL: "http://127.0.0.1/"})
	fmt.Println(fault.KindOf(err))
	// Output:
	// 200 high water at 04:12 <nil>
	// blocked
}
