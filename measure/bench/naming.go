package main

import (
	"fmt"
	"os"
	"os/exec"
)

// chunks compares the time for naming chunks, and the time for all of Split, with the time for hashing the same
// bytes. It runs the benchmarks of package chunk.
func (b *bench) chunks() error {
	fmt.Print("\n### Chunks\n\n")
	cmd := exec.CommandContext(b.ctx, "go", "test", "./pkg/content/chunk", "-run", "^$", "-bench", ".", "-benchmem")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
