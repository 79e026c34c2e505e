package funchost

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// command is what to execute, before the port of one run is known.
type command struct {
	path string
	root string // script root, and the working directory
	env  environ
	// secret is said with each request, and known to the handler: so it can tell its host from others.
	secret string
}

const executableField = "customHandler.description.defaultExecutablePath"

// newCommand finds the executable that host.json names below the script root.
func newCommand(executable, root string, env environ) (command, error) {
	path := executable
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	found, err := exec.LookPath(path)
	if err == nil {
		return command{path: found, root: root, env: env, secret: rand.Text()}, nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return command{}, fault.Field(executableField, "host.json: %s: %s is not in %s; build it with `make app`",
			executableField, executable, root)
	}
	return command{}, fault.Field(executableField, "host.json: %s: %s is not executable (chmod +x)", executableField, path)
}
