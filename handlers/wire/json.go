package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

// MaxBody limits the body of a request, in bytes. A thousand URLs of 2 KiB fit.
const MaxBody = 4 << 20

// maxDepth limits the depth to which the objects and lists of a request may be nested.
const maxDepth = 32

// decodeBody reads one JSON object. It refuses unknown and repeated fields. It also refuses names
// in a different case, which package encoding/json would accept. A request with settings also gets
// them as a patch.
func decodeBody(r *http.Request, into any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return BodyError(err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		if path, why, ok := form.Mistyped(err, reflect.TypeOf(into)); ok {
			return fault.Field(path, "%s %s", cmp.Or(path, "the body"), why)
		}
		return BodyError(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return BodyError(errors.New("there is something behind the JSON object"))
	}
	// The body has already been decoded, so the walk cannot meet a syntax error.
	w := walk{json.NewDecoder(bytes.NewReader(body))}
	if err := w.value(reflect.TypeOf(into), "", 0); err != nil {
		return err
	}
	if asks, ok := into.(interface{ SetPatch(api.Patch) }); ok {
		patch, err := api.ParsePatch(body)
		asks.SetPatch(patch)
		return err
	}
	return nil
}

// walk reads JSON a second time and checks it against the type into which it was decoded.
type walk struct{ *json.Decoder }

// value checks the field names in the next value, which has the given path and nesting depth. A nil
// type has no names to check.
func (w *walk) value(t reflect.Type, path string, depth int) error {
	token, err := w.Token()
	delim, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	if depth == maxDepth {
		return fault.New(fault.Invalid, "the body has more than %d levels of objects and lists", maxDepth)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if delim == '{' {
		err = w.object(t, path, depth)
	} else {
		err = w.list(t, path, depth)
	}
	if err == nil {
		_, err = w.Token() // the closing delimiter
	}
	return err
}

func (w *walk) list(t reflect.Type, path string, depth int) error {
	elem := elemOf(t)
	for w.More() {
		if err := w.value(elem, path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) object(t reflect.Type, path string, depth int) error {
	fields, seen := form.Names(t), map[string]bool{}
	for w.More() {
		token, err := w.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		at := fmt.Sprintf("%.100s", strings.TrimPrefix(path+"."+name, ".")) // the caller chose it, so it is shortened
		if seen[name] {
			return fault.Field(at, "%s is given twice", at)
		}
		seen[name] = true
		inner, known := fields[name]
		if fields != nil && !known {
			return fault.Field(at, "there is no field %q; known are %s", at,
				strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		}
		if fields == nil {
			inner = elemOf(t)
		}
		if err := w.value(inner, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// elemOf returns the type of the elements of a list or a map; for any other type, it returns nil.
func elemOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// BodyError describes an error of reading a body of JSON. Errors: TooLarge above [MaxBody]; Invalid for any other.
func BodyError(err error) error {
	if err == nil {
		return nil
	}
	if tooBig, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "the request is larger than %d bytes", tooBig.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.Invalid, "%v", err) // the body took too long to arrive
	}
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "%w", errNoBody)
	}
	return fault.New(fault.Invalid, "the body is not the JSON that is wanted: %v", err)
}

var errNoBody = errors.New("the request has no body; a JSON object is wanted")
