// Command package writes the zip that a deployment to Azure uploads, from the folder that `make app` wrote. If that
// folder would not run in Azure, it reports why.
//
// The same folder gives the same bytes: the order of names and the times are fixed. The zip has Unix modes, because
// without them the host cannot start the executable.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	app := flag.String("app", "build/app", "folder that make app wrote for linux/amd64")
	out := flag.String("out", "build/tidemark.zip", "zip to write")
	flag.Parse()
	if err := run(*app, *out); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

// run checks the whole folder before it writes anything.
func run(app, out string) error {
	c, err := readContents(app)
	if err != nil {
		return err
	}
	size, err := write(out, c)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d functions, %.1f MB\n", out, c.functions(), float64(size)/1e6)
	return nil
}
