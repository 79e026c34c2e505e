// Package describe makes the description of the HTTP API, the openapi.json of package openapi. It runs in
// tests only; nothing that is deployed imports it.
//
// Nothing is written twice. A new route needs an operation in the file of its area here, which says what
// the Go types cannot: summary, parameters, statuses. The rest is read:
//
//   - schemas from the types in pkg/api by reflection, their descriptions from the comments on types
//     and fields, with the names of fields as JSON has them and the values of constants;
//   - bounds and enumerations from limits.go, whose values are the constants that the code checks by;
//   - examples from the recorded conversations handlers/testdata/*.golden, by the names of their steps.
//
// Then `make openapi` writes the document and the client that is generated of it, and its tests say what
// is missing.
package describe
