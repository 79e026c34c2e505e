//go:build !linux

package document

// limitProcess does nothing on this system. The WebAssembly runtime bounds memory, for PDFs only; the parent bounds
// time.
func limitProcess(uint64) {}

func limitTime() {}

func addressSpace() uint64 { return 0 }
