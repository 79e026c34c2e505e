//go:build !linux

package document

// limitProcess does nothing here: memory is bounded by the WebAssembly runtime for PDFs only, and
// time by the parent.
func limitProcess(uint64) {}

func limitTime() {}

func addressSpace() uint64 { return 0 }
