// Package apiclient has oapi-codegen make a client of the HTTP API of its description, as a stranger would:
// pkg/api/openapi/openapi.json and nothing else. The tests of package client, which is generated and not
// committed, send every operation to the real app with it. `make test` generates it and runs them.
// Programs in Go are better served by pkg/api, which is written by hand.
//
// It is a module of its own, so that what generated code needs is not needed by Tidemark.
package apiclient

//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client/client.gen.go ../../pkg/api/openapi/openapi.json
