package warc_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/warc"
)

// A page is captured, and an hour later the site says that nothing has changed.
func Example() {
	var out bytes.Buffer
	w := warc.NewWriter(&out, false)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	page, err := w.Response(warc.Response{
		URI: "https://example.com/", At: at, Status: 200,
		Header: map[string][]string{"Content-Type": {"text/plain"}, "Content-Encoding": {"br"}},
		Body:   strings.NewReader("hello"),
	})
	if err == nil {
		err = w.Revisit(warc.Revisit{URI: page.URI, At: at.Add(time.Hour), NotModified: true, Of: page})
	}
	fmt.Println(strings.TrimSpace(strings.ReplaceAll(out.String(), "\r", "")))
	fmt.Println(err)
	// Output:
	// WARC/1.1
	// WARC-Type: response
	// WARC-Record-ID: <urn:uuid:724a960e-8487-8d30-a462-b4ba570f10fa>
	// WARC-Date: 2026-11-21T12:00:00Z
	// WARC-Target-URI: https://example.com/
	// WARC-Payload-Digest: sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
	// Content-Type: application/http;msgtype=response
	// WARC-Block-Digest: sha256:2b9e654fef3a797b160b141243763949fafcef9aee65ab13ea8039187ab531a4
	// Content-Length: 106
	//
	// HTTP/1.1 200 OK
	// X-Archive-Orig-Content-Encoding: br
	// Content-Type: text/plain
	// Content-Length: 5
	//
	// hello
	//
	// WARC/1.1
	// WARC-Type: revisit
	// WARC-Record-ID: <urn:uuid:c464c894-5795-82ed-8abe-0b196c909c7f>
	// WARC-Date: 2026-11-21T13:00:00Z
	// WARC-Target-URI: https://example.com/
	// WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified
	// WARC-Payload-Digest: sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
	// WARC-Refers-To: <urn:uuid:724a960e-8487-8d30-a462-b4ba570f10fa>
	// WARC-Refers-To-Target-URI: https://example.com/
	// WARC-Refers-To-Date: 2026-11-21T12:00:00Z
	// Content-Length: 0
	// <nil>
}
