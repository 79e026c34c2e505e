// Package entries keeps what is pushed in and not crawled: messages, mails, notes and the texts of
// pages, each once, however often it is sent (seed 001).
//
// # Two steps
//
// Normalization is pure: [NormalizeTelegram], [NormalizeEmail] and [NormalizeWebpage] turn what a
// client has into columns of an entry, its identity among them. Clients send these on unchanged and
// make no keys of their own.
package entries
