package wire

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

// Decode decodes a request strictly: the path, the query and the body may have only what the route's type lists.
func Decode[Q any](r *http.Request, e *api.Endpoint) (request Q, err error) {
	err = decode(r, e, &request)
	return request, err
}

// decode is [Decode] for a request of any type, given by a pointer. It is compiled once, not for each route.
func decode(r *http.Request, e *api.Endpoint, into any) error {
	params := e.Params()
	q := queryOf(WithoutKey(r, e), inQuery(params)...)
	to := reflect.ValueOf(into).Elem()
	for _, p := range params {
		if !p.InPath {
			q.read(p, to.FieldByIndex(p.Index))
		}
	}
	if q.err != nil {
		return q.err
	}
	asked := reflect.ValueOf(to.Interface()) // a copy, because the body overwrites the values of the query
	if e.HasBody() {
		if err := decodeBody(r, into); err != nil && !(e.BodyOptional && errors.Is(err, errNoBody)) {
			return err
		}
		if to.Kind() == reflect.Struct {
			form.Default(into)
		}
	}
	for _, p := range params {
		field := to.FieldByIndex(p.Index)
		switch {
		case p.InBody:
			field.SetBool(field.Bool() || asked.FieldByIndex(p.Index).Bool())
		case p.InPath:
			value := r.PathValue(p.Name)
			if given := field.String(); given != "" && given != value {
				name, _, _ := strings.Cut(p.Tag.Get("json"), ",")
				return fault.Field(name, "%s is %.64q, but the address names %.64q", name, given, value)
			}
			field.SetString(value)
		}
	}
	if to.Kind() == reflect.Struct {
		if errs := form.Check(to.Interface()); len(errs) > 0 {
			return errs[0]
		}
	}
	return nil
}

// DecodeJSON strictly decodes a request whose body has no type in package api. The body must be one
// JSON object, and the URL must have no parameters.
func DecodeJSON(r *http.Request, into any) error {
	if q := queryOf(r); q.err != nil {
		return q.err
	}
	return decodeBody(r, into)
}

// WithoutKey returns the request of a feed without the key in its query, because the key is not a
// parameter of the route.
func WithoutKey(r *http.Request, e *api.Endpoint) *http.Request {
	if e.Scope != api.ScopeFeed {
		return r
	}
	r = r.Clone(r.Context())
	q := r.URL.Query()
	q.Del("key")
	r.URL.RawQuery = q.Encode()
	return r
}

// inQuery returns the names of the parameters that may be in the query.
func inQuery(params []api.Param) (names []string) {
	for _, p := range params {
		if !p.InPath {
			names = append(names, p.Name)
		}
	}
	return names
}

// A query reads the parameters of a URL strictly.
type query struct {
	values map[string][]string
	err    error
}

func queryOf(r *http.Request, names ...string) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = fault.New(fault.Invalid, "the query of the URL cannot be read: %w", err)
	}
	q := &query{values: values, err: err}
	for name := range q.values {
		if name != "code" && !slices.Contains(names, name) { // "code" is the parameter for the host's function key
			q.err = fault.Field(name, "there is no parameter %q; %s", name, orNone(names))
		}
	}
	return q
}

// orNone lists the names of parameters for an error message, or says that there are none.
func orNone(names []string) string {
	if len(names) == 0 {
		return "this route takes none"
	}
	return "known are " + strings.Join(names, ", ")
}

// read sets a field to the value of its parameter, or to the default value if the parameter is missing.
func (q *query) read(p api.Param, field reflect.Value) {
	given := q.values[p.Name]
	if len(given) > 1 {
		q.err = fault.Field(p.Name, "%s is given %d times", p.Name, len(given))
	}
	text := ""
	if len(given) > 0 {
		text = given[0]
	}
	switch field.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if text == "" {
			n = p.Default
		} else if err != nil || n < p.Min || n > p.Max {
			q.err = fault.Field(p.Name, "%s must be a number from %d to %d, not %q", p.Name, p.Min, p.Max, text)
		}
		field.SetInt(int64(n))
	case reflect.Float64:
		v, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
		if err != nil || !(v >= 0 && v <= 1) {
			q.err = fault.Field(p.Name, "%s must be a number from 0 to 1, not %q", p.Name, text)
		}
		field.SetFloat(v)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if text != "" && err != nil {
			q.err = fault.Field(p.Name, "%s must be true or false, not %q", p.Name, text)
		}
		field.SetBool(v)
	default:
		field.SetString(text)
	}
}
