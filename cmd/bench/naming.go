package main

import (
	"fmt"
	"os"
	"os/exec"
)

// chunks measures the naming of chunks, and all of Split, against hashing the same bytes with the same hash, by the
// benchmarks of that package.
func (b *bench) chunks() error {
	fmt.Print("\n### Chunks\n\n")
	cmd := exec.CommandContext(b.ctx, "go", "test", "./pkg/content/chunk", "-run", "^$", "-bench", ".", "-benchmem")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
