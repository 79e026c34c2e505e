package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// List is a JSON object whose members keep their order.
type List[T any] []Member[T]

// Member is a member of a [List].
type Member[T any] struct {
	Name  string
	Value T
}

// Get returns the value of the member with the given name, and reports whether there is one.
func (l List[T]) Get(name string) (T, bool) {
	for _, m := range l {
		if m.Name == name {
			return m.Value, true
		}
	}
	var none T
	return none, false
}

// Put adds a member. If there is a member with that name, Put replaces its value.
func (l *List[T]) Put(name string, value T) {
	for i := range *l {
		if (*l)[i].Name == name {
			(*l)[i].Value = value
			return
		}
	}
	*l = append(*l, Member[T]{name, value})
}

// MarshalJSON writes the members in order.
func (l List[T]) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for i, m := range l {
		buf.WriteByte("{,"[min(i, 1)])
		if err := enc.Encode(m.Name); err != nil {
			return nil, err
		}
		buf.WriteByte(':')
		if err := enc.Encode(m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	if len(l) == 0 {
		buf.WriteByte('{')
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// UnmarshalJSON reads the members in order.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	d := json.NewDecoder(bytes.NewReader(b))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("%v is no object: %w", token, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := Member[T]{Name: name.(string)} // in valid JSON, names are strings
		if err := d.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		*l = append(*l, m)
	}
	return nil
}

// Types are the types that a value may have. In JSON, a single type is a string, and several types are a list.
type Types []string

// MarshalJSON writes a string or a list of strings.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// UnmarshalJSON reads a string or a list of strings.
func (t *Types) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte{'"'}) {
		*t = Types{""}
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}
