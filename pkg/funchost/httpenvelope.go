package funchost

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"
	"time"
)

// identity is how a caller appears to the handler.
type identity struct {
	AuthenticationType string
	IsAuthenticated    bool
	Claims             []any
}

// httpRequest is an HTTP request inside an envelope.
type httpRequest struct {
	Url        string //nolint:staticcheck // the name on the wire
	Method     string
	Query      map[string]string
	Headers    map[string][]string
	Params     map[string]string
	Identities []identity
	Body       *string `json:",omitempty"`
}

// httpEnvelope encodes a request whose body has been read. A request without Content-Length has no
// Body, as in the real host: chunked uploads arrive empty.
func httpEnvelope(f *function, r *http.Request, params map[string]string, body []byte, now time.Time) envelope {
	req := httpRequest{
		Url: requestURL(r), Method: r.Method, Query: flatQuery(r), Headers: allHeaders(r), Params: params,
		Identities: []identity{{AuthenticationType: "WebJobsAuthLevel", IsAuthenticated: true, Claims: []any{}}},
	}
	d := newBindingData()
	if r.ContentLength > 0 {
		text := bodyText(r.Header.Get("Content-Type"), body)
		req.Body = &text
		d.merge(body)
	}
	for name, v := range req.Query {
		if !strings.EqualFold(name, "code") {
			d.text(name, v)
		}
	}
	for name, v := range params {
		d.text(name, v)
	}
	d.set("Query", req.Query)
	d.set("Headers", joinedHeaders(req.Headers))
	return envelope{Data: map[string]any{f.trigger.name: req}, Metadata: d.wire(f.name, now)}
}

func requestURL(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	return u.String()
}

// flatQuery joins repeated keys by a comma.
func flatQuery(r *http.Request) map[string]string {
	out := map[string]string{}
	for name, values := range r.URL.Query() {
		out[name] = strings.Join(values, ",")
	}
	return out
}

func allHeaders(r *http.Request) map[string][]string {
	out := map[string][]string{"Host": {r.Host}}
	for name, values := range r.Header {
		out[name] = values
	}
	return out
}

func joinedHeaders(h map[string][]string) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		out[name] = strings.Join(values, ",")
	}
	return out
}

// bodyText is the body as it is put into JSON: base64 for the two binary media types, else text.
func bodyText(contentType string, body []byte) string {
	media, _, _ := mime.ParseMediaType(contentType)
	if media == "application/octet-stream" || strings.HasPrefix(media, "multipart/") {
		return base64.StdEncoding.EncodeToString(body)
	}
	return strings.ToValidUTF8(string(body), "\uFFFD")
}
