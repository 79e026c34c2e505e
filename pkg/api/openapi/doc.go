// Package openapi has the description of the HTTP API, as a document for programs (OpenAPI 3.1) and as a page for
// people.
//
// The document is the file openapi.json, which is committed and embedded in the program. Package describe generates
// it from the Go types in pkg/api, from their comments, and from the requests and answers that the tests of package
// handlers record. The tests of describe fail when the file is out of date, and write it with -update. To serve the
// document, the deployed program therefore needs neither reflection nor a parser of Go. The program makes the page
// when it is first requested.
//
// [Document] is the part of OpenAPI 3.1 that Tidemark uses. The same types read and write the document. They keep the
// order of its members, because people read the document, too.
//
// Alternatives considered: a framework that serves the routes and describes them (huma) would also decode requests,
// but no framework refuses as much as the decoder here. Existing pages for OpenAPI documents are scripts of a
// megabyte, mostly loaded from other servers, while Tidemark's policy is that its pages run no scripts.
package openapi
