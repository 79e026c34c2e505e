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

package field
