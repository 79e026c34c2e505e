// Package field reads typed values from a page: a price, an availability, a date, a number or a text. It asks no model:
// a value is what the page declares for programs, or what stands at a place that a user chose.
//
// # The model
//
// A [Spec] names a field, its [Type] and its source: one expression for JSON-LD, microdata, RDFa, OpenGraph, a CSS
// selector or a JSONPath. Reading it gives a [Result]: a [Value] with its [Evidence], or why there is none. A value is
// normalized, so that "1.299,00 €" and "EUR 1,299" are equal, and keeps what the page shows. All types have a short
// form in JSON, for rows.
//
// # Rather no value than a wrong one
//
// A text that means two amounts, such as "1.299" without a currency or a language, is not read. [Unread] tells it from
// a value that has disappeared, and from a source that is gone.
//
// Numbers are exact: see [Decimal]. All that is read is bounded, and the package only computes.
//
// # What is kept from check to check
//
// [Known] is a part of the item's row. It has for each field the last value that was seen, the values that were seen
// before it (the previous, the first, the lowest and the highest), and the number of entries of its history. So these
// outlive the captures in which they were read. The history itself is kept elsewhere: [Known.See] returns the entries
// that are added to it.
//
// # What is a change
//
// A value that differs from the last one is a [Change], and so is a value that has disappeared or come back. A field
// whose text cannot be read, or whose source is gone, keeps its last value, because nothing is known of the present
// one. The first reading of a field is not a change, nor is the first one after its definition was changed.
//
// A Change has what conditions need, so that whether one fires follows from the change alone: see package condition.
package field
