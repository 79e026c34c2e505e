package field

import "encoding/json"

// JSON returns the value as the API has it: a number, a text, or nil for none. Of a range it is the lowest price.
func (v Value) JSON() any {
	switch {
	case v.None():
		return nil
	case v.Type == Number || v.Type == Money:
		return json.Number(v.Number)
	}
	return v.Text
}
