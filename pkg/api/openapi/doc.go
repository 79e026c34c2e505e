// Package openapi holds the description of the HTTP API, as a document for programs (OpenAPI 3.1) and as
// a page for people.
//
// The document is openapi.json, embedded as it is committed. Package describe makes it of the Go types in
// pkg/api, their comments and the recorded conversations of package handlers; its tests fail when the two
// differ, and write it anew with -update. So the deployed program neither reflects nor parses Go: serving
// the document costs nothing, and the page is made when it is first asked for.
//
// [Document] is the part of OpenAPI 3.1 that we use. It is written and read by the same types, which
// keep the order of what they hold, because people read it too.
//
// Alternatives considered: a framework that serves the routes and describes them (huma) would take over
// decoding, which refuses more here than any of them; and pages of others for OpenAPI documents are scripts
// of a megabyte, mostly from other people's servers, where the policy of ours is that no script runs.
package openapi
