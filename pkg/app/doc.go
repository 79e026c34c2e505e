// Package app assembles Tidemark: it reads the settings, chooses the adapters and passes the services to the
// handlers. It is the only package that knows all the others. docs/architecture.md gives an overview.
package app
