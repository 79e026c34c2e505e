// Package entry says what an entry is, as values: its columns, the keys by which it is known again, how a message, a
// mail or the text of a page becomes one, and how it is searched. It does no I/O.
//
// [NormalizeTelegram], [NormalizeEmail] and [NormalizeWebpage] make the [Fields] of an entry of what a client has.
// [Decode] reads fields that a client sends. Package entries stores them.
package entry
