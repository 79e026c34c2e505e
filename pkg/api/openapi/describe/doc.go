// Package describe makes the description of the HTTP API: openapi.json of package openapi, and the tables of
// docs/api.md. All of it is tests, so nothing that is deployed can import it.
//
// Nothing is written twice. A new route needs an operation in the file of its area here, which says what
// the table of routes cannot: summary, what is answered, which errors. The rest is read:
//
//   - methods, paths, parameters and statuses from the table, api.Routes;
//   - schemas from the types in pkg/api by reflection, their descriptions from the comments on types
//     and fields, with the names of fields as JSON has them and the values of constants;
//   - bounds and enumerations from the tags of requests and from limits_test.go, whose values are the constants that
//     the code checks by;
//   - examples from the recorded conversations handlers/testdata/*.golden, by the names of their steps.
//
// Then `make openapi` writes the document and the tables of docs/api.md, and the tests here say what
// is missing.
package describe
