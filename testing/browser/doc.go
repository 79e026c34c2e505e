// Package browser tests the dashboard as a person meets it: in a browser, by its keys and buttons,
// against the programs that a user runs. `make test-ui` runs it; it needs Chromium. It leaves
// pictures in build/screenshots; make screenshots puts some of these into docs/images.
package browser
