// Package apiclient has oapi-codegen make a client of the HTTP API of its description, as a stranger would:
// pkg/openapi/openapi.json and nothing else. The tests of package client, which is generated, send every
// operation to the real app with it. `make test` runs them; `make openapi` writes the client anew.
// Programs in Go are better served by pkg/api, which is written by hand.
//
// It is a module of its own, so that what generated code needs is not needed by Tidemark.
package apiclient
