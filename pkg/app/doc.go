// Package app puts Tidemark together: it reads the settings, chooses the adapters and hands the
// services to the handlers. It is the only package that knows every other one; docs/architecture.md
// is the tour.
package app
