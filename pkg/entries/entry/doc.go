// Package entry defines an entry as a value: its columns, the keys that identify it, and its page in the index. It
// also defines how a message, a mail or the text of a page becomes an entry. It does no I/O.
//
// [NormalizeTelegram], [NormalizeEmail] and [NormalizeWebpage] make the [Fields] of an entry from a client's input.
// [Decode] reads the fields that a client sends. Package entries stores them.
package entry
