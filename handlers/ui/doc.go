// Package ui is the dashboard: pages for people, which show what the API answers and stay safe whatever unknown hosts
// have written.
//
// The dashboard is a client of the API, called in the same process, so it can show nothing that another client could
// not. Pages are made on the server and work without JavaScript; with it, what is shown is kept up to date and searches
// answer while a person types.
//
// Each part of the dashboard is a package of its own, which gives views and the functions that their templates call.
// All parts stand on two others: frame, which turns what a view gives into an answer, and show, which puts values into
// words. Parts know the API and nothing else; only status serves others, with its count of what needs attention.
//
// # Safety
//
// Crawled text is hostile. html/template escapes it for the place where it stands. Links to crawled addresses are made
// only for http and https, and do not say where they were followed from. The content security policy lets no script run
// but the embedded one, and loads no picture of another site unless that is asked for. Forms are refused when they come
// from another site (see net/http.CrossOriginProtection) and, where people sign in, when they do not carry the token of
// the session.
//
// Package handlers decides who may see pages before it asks for them; this package shows the form for signing in. Pages
// are not cached and send no referrer.
package ui
