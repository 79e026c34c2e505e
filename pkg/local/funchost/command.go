package funchost

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A command describes how to start the handler; only the port differs from run to run.
type command struct {
	path string
	args []string
	root string // script root, and the working directory
	env  environ
	// secret is sent with each request, so that the handler can distinguish its host from other callers.
	secret string
}

// newCommand finds the handler: the command in the options, or the executable that host.json names in the script
// root.
func newCommand(o Options, executable string, env environ) (command, error) {
	c := command{root: o.AppDir, env: env, secret: rand.Text()}
	if len(o.Handler) > 0 {
		c.path, c.args = o.Handler[0], o.Handler[1:]
		return c, nil
	}
	path := executable
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.root, path)
	}
	var err error
	if c.path, err = exec.LookPath(path); err == nil {
		return c, nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return command{}, fault.Field(executableField, "host.json: %s: %s is not in %s; write the folder with `tidemark app`",
			executableField, executable, c.root)
	}
	return command{}, fault.Field(executableField, "host.json: %s: %s is not executable (chmod +x)", executableField, path)
}
