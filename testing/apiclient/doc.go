// Package apiclient generates a client of the HTTP API with oapi-codegen, as a user without access to the code would:
// from pkg/api/openapi/openapi.json and nothing else. The tests of package client, which is generated and not
// committed, use the client to send every operation to the real app. `make test` generates it and runs them. For
// programs in Go, the package pkg/api, which is written by hand, is the better client.
//
// The package is a separate module, so that Tidemark does not depend on what generated code needs.
package apiclient

//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client/client.gen.go ../../pkg/api/openapi/openapi.json
