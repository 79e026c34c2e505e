//go:build !linux

package document

// limitProcess does nothing on this system. Here only the WebAssembly runtime bounds memory, and only for PDFs; the
// parent bounds time.
func limitProcess(uint64) {}

func limitTime() {}

func addressSpace() uint64 { return 0 }
