// Package render tests package pkg/fetch/render with a real Chromium, which must be installed (CHROMIUM names another
// one): a local site of pages that need a browser, and pages that attack it.
package render
