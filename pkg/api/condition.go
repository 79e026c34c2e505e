package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Condition is a rule's condition on a field. It is met once: when a check finds that it holds, and it did not hold at
// the check before. A comparison does not hold for values that cannot be compared, such as amounts in two currencies.
// Of a range of prices, and of a price such as "from 12.90", the lowest price is compared.
type Condition struct {
	Field string `json:"field" label:"Value of the page" flag:"-"` // name of the field, such as price
	// <, <=, =, >= or > for a comparison; changedBy; fromTo; appears (there is a value where there was none); or
	// disappears
	Op string `json:"op" label:"Comparison" flag:"-"`
	// the constant to compare with: 80, 80 EUR, 2026-11-27, InStock or "in stock". An amount without a currency is
	// compared with amounts in any currency. For changedBy it is the least difference: 5, or 10 with the unit %.
	Value Constant `json:"value,omitempty" label:"Constant" flag:"-"`
	// the value before, for fromTo. If it is left out, that is any value but To, or none. If both are left out, each
	// change from one value to another meets the condition.
	From Constant `json:"from,omitempty" label:"Value before" flag:"-"`
	// the value now, for fromTo. If it is left out, that is any value but From.
	To   Constant `json:"to,omitempty" label:"Value now" flag:"-"`
	Unit string   `json:"unit,omitempty" label:"Unit" flag:"-"` // of the value of changedBy: abs (the default) or %
	// what the field is compared with: value (the default of comparisons), or what earlier checks found: previous (the
	// default of changedBy), first, lowest or highest
	Against string `json:"against,omitempty" label:"Compared with" flag:"against WHAT"`
	// the first value that is read of the field may meet the condition, too
	First bool `json:"first,omitempty" label:"Also at the first check"`
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
