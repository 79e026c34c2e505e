// Package describe generates the description of the HTTP API: openapi.json of package openapi, and the tables of
// docs/api.md. It consists only of tests, so that no deployed program can import it.
//
// Each fact is written in one place. For a new route, write an operation in the file for its area in this package.
// The operation has the facts that the table of routes lacks: summary, answer and errors. Everything else is read
// from the sources:
//
//   - methods, paths, parameters and statuses from the table, api.Routes;
//   - schemas from the types in pkg/api by reflection, and their descriptions from the comments on types
//     and fields, with the JSON names of fields and the values of constants;
//   - bounds and enumerations from the tags of requests and from limits_test.go, whose values are the constants that
//     the code checks;
//   - examples from the recorded requests and answers in handlers/testdata/*.golden, found by the names of their steps.
//
// After a change, `make openapi` writes the document and the tables of docs/api.md, and the tests here report what is
// missing.
package describe
