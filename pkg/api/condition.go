package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Condition is what a rule wants of a field. It is met once, when a check finds that it holds and the check before did
// not. A value that cannot be compared with what it is compared with meets no comparison. A range of prices, and one
// that begins at an amount, counts as its lowest price.
type Condition struct {
	Field string `json:"field"` // name of the field, such as price
	// Op is <, <=, =, >= or > for a comparison; changedBy; fromTo; appears, if there is a value where there was none; or
	// disappears.
	Op string `json:"op"`
	// Value is what is compared: 80, 80 EUR, 2026-11-27, InStock or "in stock". An amount without a currency is compared
	// with amounts of every currency. For changedBy it is the least difference, such as 5, or 10 with the unit %.
	Value Constant `json:"value,omitempty"`
	// From is the last value that was seen before, for fromTo. If it is left out, every other value is. With neither from
	// nor to, each change from one value to another meets the condition.
	From Constant `json:"from,omitempty"`
	// To is the value now, for fromTo. If it is left out, every other value is.
	To   Constant `json:"to,omitempty"`
	Unit string   `json:"unit,omitempty"` // of the value of changedBy: abs (the default) or %
	// Against is what is compared with: value (the default of comparisons), or a value that was seen before the check:
	// previous (the default of changedBy), first, lowest or highest.
	Against string `json:"against,omitempty"`
	// First states that the condition may be met by the first check of the field, too.
	First bool `json:"first,omitempty"`
}

// Constant is a value to compare with. It may be sent as a number or as text.
type Constant string

// UnmarshalJSON accepts a number or text. Its error is a [json.UnmarshalTypeError], to which the decoder adds the name
// of the field.
func (c *Constant) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte{'"'}) || bytes.Equal(b, []byte("null")) {
		return json.Unmarshal(b, (*string)(c))
	}
	var n json.Number
	if json.Unmarshal(b, &n) != nil {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("%.50s", b), Type: reflect.TypeOf(*c)}
	}
	*c = Constant(n)
	return nil
}
