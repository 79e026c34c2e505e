// Package root makes the top of the repository the working folder of a program, wherever in the repository the program
// was started: go run -C starts it in the folder of this module, while its files are all over the repository.
package root

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// product is the first line of the file go.mod at the top of the repository.
const product = "module github.com/tidemark/tidemark\n"

// Chdir changes the working folder to the top of the repository that contains it. Outside of a repository, it changes
// nothing.
func Chdir() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if bytes.HasPrefix(text, []byte(product)) {
			return os.Chdir(dir)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return nil
		}
		dir = above
	}
}

// Usage returns a function that prints the help of a program that calls [Chdir]. It says from where paths are taken.
func Usage(flags *flag.FlagSet) func() {
	return func() {
		fmt.Fprintf(flags.Output(), "Usage of %s:\n", filepath.Base(flags.Name()))
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(), "Within the repository, all paths are relative to its top.")
	}
}
