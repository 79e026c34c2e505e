// Package openapi has the description of the HTTP API, as a document for programs (OpenAPI 3.1) and as a page for
// people.
//
// The document is the committed file openapi.json, which the program embeds. Package describe generates it from the
// Go types in pkg/api, their comments and the recorded conversations of package handlers. Its tests fail when the
// file is out of date, and write it with -update. So the deployed program needs no reflection and no parser of Go to
// serve the document. It makes the page at the first request.
//
// [Document] is the part of OpenAPI 3.1 that Tidemark uses. The same types read and write it, and they keep the order
// of members, because people read the document, too.
//
// Alternatives considered: a framework that serves the routes and describes them (huma) would also decode requests,
// and none refuses as much as the decoder here. Existing pages for OpenAPI documents are scripts of a megabyte,
// mostly loaded from other servers, while the policy of Tidemark's pages is to run no scripts.
package openapi
