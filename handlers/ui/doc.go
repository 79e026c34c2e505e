// Package ui is the dashboard: pages for people over the HTTP contract of package api and nothing else,
// whatever strangers have written into what is shown.
//
// It is a client of the API, called in the same process, so that it can show nothing that another
// client could not. Pages are made on the server and work without JavaScript; with it, what is shown
// is kept up to date and searches answer while one types.
//
// # Safety
//
// Crawled text is hostile. html/template escapes it by where it stands; links to crawled addresses are
// made only for http and https, and are not told where they were followed from; the content security policy
// lets no script run but the one embedded file, and loads no picture of a stranger unless asked to.
// Forms are refused when they come from another site (see net/http.CrossOriginProtection), and where people sign in,
// when they do not carry the token of the session.
//
// Who may see pages is decided before they are asked for (package handlers); this package shows the form for signing
// in. Pages are not cached and send no referrer.
package ui
