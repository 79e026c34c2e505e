// Package browser tests the dashboard as a user sees it: in a browser, through its keys and buttons, with the
// programs that a user runs. `make test-ui` runs the tests. They need Chromium, nginx, Caddy and Prometheus
// with promtool, and write pictures to build/screenshots. `make screenshots` copies some of these into docs/images.
package browser
