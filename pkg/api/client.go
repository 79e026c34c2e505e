package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxAnswerBytes is the largest answer that a [Client] reads; a longer one is an error.
const maxAnswerBytes = 32 << 20

// maxCaptureBytes is the largest capture that a [Client] reads. It equals the largest body that can be fetched.
const maxCaptureBytes = 1 << 30

const exampleServer = "http://localhost:7071"

// maxPlainText limits the number of characters that an error quotes from an answer that is not a problem document.
const maxPlainText = 200

// Client talks to one Tidemark server. It is safe for concurrent use, and never retries.
//
// For an answer with a status of 400 or more, the methods return a [*Problem]. For a server that does not answer,
// they return an [*UnreachableError]. Any other error means that the answer does not come from Tidemark.
type Client struct {
	server string // without a trailing slash, for messages
	base   string
	key    string
	hc     *http.Client
	tee    func(body []byte)
	advice string
}

// NewClient returns a client of the Tidemark server at the given address, such as "http://localhost:7071". A missing
// scheme means http, and a trailing "/api" is optional. The key is sent as x-functions-key unless it is empty. If hc
// is nil, requests time out after two minutes. Redirects are never followed, because the key would be sent to the new
// address, too.
func NewClient(server, key string, hc *http.Client) *Client {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	server = strings.TrimSuffix(strings.TrimRight(server, "/"), "/api")
	if hc == nil {
		hc = &http.Client{Timeout: 2 * time.Minute}
	}
	own := *hc
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{server: server, base: server + "/api/", key: key, hc: &own}
}

// Tee returns a client that also passes the body of every successful answer to f, as received.
func (c *Client) Tee(f func(body []byte)) *Client {
	own := *c
	own.tee = f
	return &own
}

// Advise returns a client whose error for a request without a valid key is this advice.
func (c *Client) Advise(text string) *Client {
	own := *c
	own.advice = text
	return &own
}

// SignInLink is a link that signs a browser in, once.
type SignInLink struct {
	Path  string    `json:"path"`           // and parameters, on the server
	Until time.Time `json:"until,omitzero"` // zero where the dashboard needs no key
}

// signInLink is no route of the API, because only the dashboard has it.
var signInLink = Route[None, SignInLink]{&Endpoint{Method: http.MethodPost, Path: "ui/link", Status: http.StatusOK,
	Requests: []reflect.Type{reflect.TypeFor[None]()}, Answers: []reflect.Type{reflect.TypeFor[SignInLink]()}}}

// SignInLink makes a link that signs a browser in to the dashboard, as the holder of the client's key.
func (c *Client) SignInLink(ctx context.Context) (SignInLink, error) {
	return signInLink.Call(ctx, c, None{})
}

// UnreachableError is the error of a server that did not answer at all.
type UnreachableError struct {
	Server string
	Err    error
}

// Error returns one sentence, with advice.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from %s (%s): start it with `tidemark start`, or name another server with --server or "+
		"TIDEMARK_SERVER",
		e.Server, plainCause(e.Err))
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// plainCause returns, in a few words, the cause of a transport error, without the many prefixes of that error.
func plainCause(err error) string {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "timed out"
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name " + e.Name + " is not known"
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		err = e.Err
	}
	return strings.TrimPrefix(err.Error(), "connect: ")
}

// Of returns the request about the thing that the route's path names.
func (r Route[Q, A]) Of(name string) (request Q) {
	r.named(&request).SetString(name)
	return request
}

// Name returns the name that a request gives the route's path: the inverse of [Route.Of].
func (r Route[Q, A]) Name(request Q) string { return r.named(&request).String() }

// named returns the field of a request, given by a pointer, that the route's path names.
func (e *Endpoint) named(request any) reflect.Value {
	params := e.Params()
	i := slices.IndexFunc(params, func(p Param) bool { return p.InPath })
	return reflect.ValueOf(request).Elem().FieldByIndex(params[i].Index)
}

// Call sends a request and reads the answer.
func (r Route[Q, A]) Call(ctx context.Context, c *Client, request Q) (answer A, err error) {
	err = c.call(ctx, r.Endpoint, request, &answer)
	return answer, err
}

// call is [Route.Call] for an answer of any type, given by a pointer. It is compiled once, not for each route.
func (c *Client) call(ctx context.Context, e *Endpoint, request, answer any) error {
	req, err := c.request(ctx, e, request)
	if err != nil {
		return err
	}
	raw, isRaw := answer.(*[]byte)
	limit := int64(maxAnswerBytes)
	if isRaw {
		limit = maxCaptureBytes
	}
	body, err := c.send(req, limit, e.Other)
	if err != nil {
		return err
	}
	if isRaw {
		*raw = body
		return nil
	}
	if c.tee != nil {
		c.tee(body)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("what %s answered is not Tidemark's JSON: %w", c.server, err)
	}
	return nil
}

// send returns the body of a successful answer, which may have at most limit bytes. An answer with the status other
// is successful, too.
func (c *Client) send(req *http.Request, limit int64, other int) ([]byte, error) {
	res, err := c.do(c.hc, req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := readBounded(res.Body, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", c.server, err)
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode >= 200 && res.StatusCode <= 299 || res.StatusCode == other && media == "application/json" {
		return body, nil
	}
	return nil, c.refusal(res, body)
}

func (c *Client) do(hc *http.Client, req *http.Request) (*http.Response, error) {
	res, err := hc.Do(req)
	if err != nil {
		if err := req.Context().Err(); err != nil {
			return nil, err
		}
		return nil, &UnreachableError{Server: c.server, Err: err}
	}
	return res, nil
}

func (c *Client) request(ctx context.Context, e *Endpoint, in any) (*http.Request, error) {
	var body io.Reader
	if e.HasBody() {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false) // with escapes, a list of bookmarks could exceed the size limit
		if err := enc.Encode(bodyOf(in)); err != nil {
			return nil, err
		}
		body = bytes.NewReader(bytes.TrimSpace(b.Bytes()))
	}
	req, err := http.NewRequestWithContext(ctx, e.Method, c.base+e.address(in), body)
	if err != nil {
		return nil, fmt.Errorf("%s is no server address: give one like %s with --server or TIDEMARK_SERVER", c.server,
			exampleServer)
	}
	req.Header.Set("Accept", "application/json, "+ProblemType)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("x-functions-key", c.key)
	}
	return req, nil
}

// readBounded reads r to its end. It returns an error if r has more than limit bytes.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("it is longer than %d bytes", limit)
	}
	return b, nil
}

// refusal turns an unsuccessful answer into a *Problem, even if the answer comes from a proxy or from the Functions
// host, which do not write problem documents.
func (c *Client) refusal(res *http.Response, body []byte) error {
	p := &Problem{}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if strings.HasSuffix(media, "json") && json.Unmarshal(body, p) == nil && cmp.Or(p.Title, p.Detail) != "" {
		p.Status = res.StatusCode
		if p.Status == http.StatusUnauthorized {
			p.Detail = cmp.Or(c.advice, p.Detail)
		}
		return p
	}
	p = &Problem{Title: http.StatusText(res.StatusCode), Status: res.StatusCode}
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		p.Detail = fmt.Sprintf("%s refused the key (%d): give a valid one with --key or TIDEMARK_KEY, in Azure a function "+
			"key", c.server, res.StatusCode)
	case res.StatusCode < 400:
		p.Detail = fmt.Sprintf("%s sends on to %s (%d): name that server with --server or TIDEMARK_SERVER",
			c.server, res.Header.Get("Location"), res.StatusCode)
	default:
		p.Detail = fmt.Sprintf("%s answered %d %s to %s %s%s", c.server, res.StatusCode, p.Title,
			res.Request.Method, res.Request.URL.Path, quote(media, body))
	}
	return p
}

// quote returns the beginning of a plain text answer, on one line. For HTML it returns nothing, because HTML is no
// useful message.
func quote(media string, body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "�")), " ")
	if text == "" || media == "text/html" {
		return ""
	}
	if r := []rune(text); len(r) > maxPlainText {
		text = string(r[:maxPlainText]) + "…"
	}
	return ": " + text
}

// ProblemType is the media type of a [Problem].
const ProblemType = "application/problem+json"

// Problem is the answer to every failed request (RFC 9457 §3.1). It says what was wrong, in which field, and what to
// do.
type Problem struct {
	Type     string       `json:"type,omitempty"` // "about:blank" when empty
	Title    string       `json:"title"`          // the status in words
	Status   int          `json:"status"`
	Detail   string       `json:"detail,omitempty"`
	Instance string       `json:"instance,omitempty"`
	Errors   []FieldError `json:"errors,omitempty"`
	// Cannot says of a rule that was not saved why it can fire on none of its pages, of at most ten of them.
	Cannot     []CannotFire `json:"cannot,omitempty"`
	CannotMore int          `json:"cannotMore,omitempty"` // number of further pages
}

// FieldError says what is wrong with one field of the request.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error formats the problem on one line. The line has the detail, or the title if there is no detail, and then those
// messages about fields that the detail does not contain. The client returns a *Problem as its error.
func (p *Problem) Error() string {
	text := cmp.Or(p.Detail, p.Title, fmt.Sprintf("the server answered %d", p.Status))
	for _, e := range p.Errors {
		if !strings.Contains(text, e.Message) {
			text += fmt.Sprintf("; %s: %s", e.Field, e.Message)
		}
	}
	return text
}

// ItemExport exports all items that match a filter. Empty fields do not filter.
type ItemExport struct {
	Format string `json:"format,omitempty"` // csv (the default) or jsonl.
	Host   string `json:"host,omitempty"`   // Only items of this host.
	Status Status `json:"status,omitempty"` // Only items of this status.
	Tag    string `json:"tag,omitempty"`    // Only items that have this tag.
	Paused bool   `json:"paused,omitempty"` // Only items that are paused.
}

// ChangeExport exports all changes that match a [ChangeQuery].
type ChangeExport struct {
	Format   string  `json:"format,omitempty"`   // csv (the default) or jsonl.
	Since    string  `json:"since,omitempty"`    // As in GET changes.
	Until    string  `json:"until,omitempty"`    // A time or a date.
	Order    string  `json:"order,omitempty"`    // newest (the default) or oldest.
	Host     string  `json:"host,omitempty"`     // Only changes of this host.
	Tag      string  `json:"tag,omitempty"`      // Only changes of items that had this tag.
	Type     string  `json:"type,omitempty"`     // Only changes of this type: url, file or entry.
	Kind     string  `json:"kind,omitempty"`     // Only changes of these kinds, separated by commas.
	Zone     string  `json:"zone,omitempty"`     // Where on the page: all (the default), main or facts.
	Small    string  `json:"small,omitempty"`    // Changes in which nothing is told by default: true (the default), false or only.
	MinShare float64 `json:"minShare,omitempty"` // The smallest share of the text that must have changed, 0 to 1.
	Q        string  `json:"q,omitempty"`        // Words that must all occur in the title, the address or the passages.
	Unread   bool    `json:"unread,omitempty"`   // Only changes that the caller has not marked as read.
	Silenced string  `json:"silenced,omitempty"` // Changes hidden by the rules of a watch: false (the default), true or only.
}

// Export streams the answer of an export. It runs until ctx ends, regardless of the client's timeout.
func Export[Q any](ctx context.Context, c *Client, r Route[Q, []byte], q Q, to io.Writer) error {
	req, err := c.request(ctx, r.Endpoint, q)
	if err != nil {
		return err
	}
	patient := *c.hc
	patient.Timeout = 0
	res, err := c.do(&patient, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != r.Status {
		body, err := readBounded(res.Body, maxAnswerBytes)
		if err != nil {
			return fmt.Errorf("reading the answer of %s: %w", c.server, err)
		}
		return c.refusal(res, body)
	}
	if _, err = io.Copy(to, res.Body); errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s broke the export off: what was written is not all of it", c.server)
	}
	return err
}

// Param is a field of a request that is sent in the path or in the query. All other fields are in the body.
type Param struct {
	reflect.StructField
	Name   string
	InPath bool
	InBody bool // the field may also be sent in the body
	// Default, Min and Max are the default and the bounds of a number, from the tags of the field.
	Default, Min, Max int
}

// HasBody reports whether requests of the route have a body.
func (e *Endpoint) HasBody() bool {
	if e.Method != http.MethodPost && e.Method != http.MethodPut && e.Method != http.MethodPatch {
		return false
	}
	if e.Requests[0].Kind() != reflect.Struct {
		return true
	}
	for _, f := range reflect.VisibleFields(e.Requests[0]) {
		if name := jsonName(f); name != "" && name != "-" {
			return true
		}
	}
	return false
}

// Params returns the fields of the route's requests that are not sent in the body. Fields with the tag `path` are in
// the path. The query has the fields with the tag `query`, or all other fields when the request has no body.
func (e *Endpoint) Params() (params []Param) {
	if e.Requests[0].Kind() != reflect.Struct {
		return nil
	}
	body := e.HasBody()
	for f := range e.Requests[0].Fields() {
		p := Param{StructField: f, Name: f.Tag.Get("path")}
		p.InPath = p.Name != ""
		if !p.InPath {
			_, asked := f.Tag.Lookup("query")
			if body && !asked {
				continue
			}
			p.Name, p.InBody = jsonName(f), body
		}
		p.Default, p.Min, p.Max = Bounds(f)
		params = append(params, p)
	}
	return params
}

// Bounds returns the default, the minimum and the maximum from the tags of a field. For a missing tag, it returns 0.
func Bounds(f reflect.StructField) (def, lo, hi int) {
	for name, into := range map[string]*int{"default": &def, "min": &lo, "max": &hi} {
		*into, _ = strconv.Atoi(f.Tag.Get(name)) // a test checks that every tag can be parsed
	}
	return def, lo, hi
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// address returns the path of a request below /api/, followed by its query.
func (e *Endpoint) address(request any) string {
	path, query := e.Path, url.Values{}
	v := reflect.ValueOf(request)
	for _, p := range e.Params() {
		field := v.FieldByIndex(p.Index)
		text := fmt.Sprint(field.Interface())
		switch {
		case p.InPath:
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(text), 1)
		case !p.InBody && !field.IsZero():
			query.Set(p.Name, text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}
