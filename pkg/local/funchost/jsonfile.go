package funchost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxConfigBytes bounds a configuration file.
const maxConfigBytes = 1 << 20

// readJSON decodes the JSON object in the file at path into v. Field names match in any case, as in .NET.
func readJSON(path string, v any) error { return decodeFile(path, v, func(*json.Decoder) {}) }

// readStrict does the same as readJSON, for a file in which every setting has an effect in Azure. A setting for which
// v has no field is an error.
func readStrict(path string, v any) error {
	return decodeFile(path, v, (*json.Decoder).DisallowUnknownFields)
}

func decodeFile(path string, v any, prepare func(*json.Decoder)) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.New(fault.NotFound, "%w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return fault.New(fault.Unavailable, "%s: %w", path, err)
	}
	if len(data) > maxConfigBytes {
		return fault.New(fault.TooLarge, "%s: more than %d bytes", path, maxConfigBytes)
	}
	// Editors on Windows begin files with a byte order mark, which .NET skips.
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	prepare(dec)
	if err := dec.Decode(v); err != nil {
		return explain(path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "%s: text after the JSON object", path)
	}
	return nil
}

// explain describes an error in the file at path in the terms of JSON, not of Go.
func explain(path string, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		return fault.Field(name, "%s: %s: not supported by this host", path, name)
	}
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && bad.Field != "" {
		return fault.Field(bad.Field, "%s: %s: want %v, not %s", path, bad.Field, bad.Type, bad.Value)
	}
	return fault.New(fault.Invalid, "%s: not a JSON object: %w", path, err)
}

// findings collects the errors in the values of one file.
type findings struct {
	file string
	errs []error
}

// err joins the errors.
func (f *findings) err() error { return errors.Join(f.errs...) }

// add adds an error in the field at path.
func (f *findings) add(path, format string, args ...any) {
	e := fault.Field(path, format, args...)
	fault.Wrap(&e, "%s: %s", f.file, path)
	f.errs = append(f.errs, e)
}
