package document

import (
	"fmt"
	"os"
	"path/filepath"
)

// cacheDir returns the folder for the compiled PDF reader: the configured folder, or else a folder of this user below
// the folder for temporary files. The compiled reader is code. So cacheDir never returns a folder that another user
// made or can write to. Without a folder, every PDF has to wait for the compiler.
func cacheDir(configured string) string {
	if configured != "" {
		return configured
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprint("tidemark-pdf-", os.Getuid()))
	if !private(dir) {
		return ""
	}
	return dir
}
