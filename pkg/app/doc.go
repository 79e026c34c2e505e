// Package app assembles Tidemark: it reads the settings, chooses the adapters and passes the services to the
// handlers. It is the only package that knows every other one. docs/architecture.md has the tour.
package app
