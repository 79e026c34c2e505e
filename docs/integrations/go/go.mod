module example

go 1.26.0

require github.com/tidemark/tidemark v0.0.0-00010101000000-000000000000

// Here the client comes from the same tree. A program elsewhere leaves this line out and names a version.
replace github.com/tidemark/tidemark => ../../..
