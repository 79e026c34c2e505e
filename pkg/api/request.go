package api

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

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
