// Package tidemark holds the files that the program carries within itself, so that it is all that has to be copied to
// another machine.
package tidemark

import "embed"

// App is what a Functions host needs beside the handler: host.json, and below functions a folder for each function.
//
//go:embed host.json functions
var App embed.FS

// Docs are the pages for people, in Markdown, below docs.
//
//go:embed docs/*.md
var Docs embed.FS

// Sample is a small manual in HTML, below testdata/site, to look around with.
//
//go:embed testdata/site
var Sample embed.FS

// Schemas are the schemas of the files that people write, for editors, below schemas.
//
//go:embed schemas/*.json
var Schemas embed.FS
