package funchost

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// command is what to execute, before the port of one run is known.
type command struct {
	path string
	args []string
	dir  string // working directory
	root string // script root
	env  environ
}

const executableField = "customHandler.description.defaultExecutablePath"

// newCommand resolves customHandler.description against the script root.
func newCommand(c commandConfig, root string, env environ) (command, error) {
	path, err := findExecutable(env.expand(c.executable), root)
	if err != nil {
		return command{}, err
	}
	line := strings.Join(c.arguments, " ")
	if c.workerPath != "" {
		line += ` "` + c.workerPath + `" ` + strings.Join(c.workerArguments, " ")
	}
	dir := root
	if c.workingDir != "" {
		dir = within(root, c.workingDir)
	}
	return command{path: path, args: splitArguments(env.expand(line)), dir: dir, root: root, env: env}, nil
}

func within(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

// findExecutable looks below the script root, whatever the working directory is, then on PATH.
func findExecutable(name, root string) (string, error) {
	path := within(root, name)
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		if found, err := exec.LookPath(name); err == nil {
			return filepath.Abs(found)
		}
		return "", fault.Field(executableField, "host.json: %s: %s is neither in %s nor on PATH; build it with `make app`", executableField, name, root)
	}
	if found, err := exec.LookPath(path); err == nil {
		return found, nil
	}
	return "", fault.Field(executableField, "host.json: %s: %s is not executable (chmod +x)", executableField, path)
}

// splitArguments splits a command line as .NET does: at blanks outside double quotes, where a
// backslash matters only before a quote.
func splitArguments(line string) []string {
	var (
		out    []string
		word   strings.Builder
		begun  bool
		quoted bool
	)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '"':
			word.WriteByte('"')
			begun = true
			i++
		case c == '"':
			quoted, begun = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out
}
