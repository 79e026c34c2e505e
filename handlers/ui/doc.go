// Package ui is the dashboard: pages that show the API's answers to people, and that stay safe whatever unknown hosts
// have written.
//
// The dashboard is a client of the API and calls it in the same process, so it can show nothing that another client
// could not. Pages are made on the server and work without JavaScript. With JavaScript, pages update themselves and
// searches answer while a person types.
//
// Each part of the dashboard is an area. It provides views, and the functions that its templates call. Package frame
// turns the result of a view into an answer, and formats values for people. The areas know the API but not each other,
// with one exception: all use the [tally], which counts the problems that need attention.
//
// # Safety
//
// Crawled text is hostile. html/template escapes the text as its position in the page requires. Links to crawled
// addresses are made only for http and https, and send no referrer. The content security policy allows only the
// embedded script, and allows pictures of other sites only on request. Forms are refused when they come from another
// site (see net/http.CrossOriginProtection) and, where people sign in, when they lack the token of the session.
//
// Package handlers checks access before it requests a page from this package. This package shows the sign-in form.
// Pages are not cached and send no referrer.
package ui
