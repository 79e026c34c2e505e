package azurite

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Install ensures that Azurite is in toolDir, and returns the path of its executable. If Azurite is missing, Install
// downloads it with npm; concurrent processes wait for the first one. The output of npm goes to log, which may be
// nil. Errors: Invalid without Node or npm.
func Install(ctx context.Context, toolDir string, log io.Writer) (exe string, err error) {
	defer fault.Wrap(&err, "installing azurite %s", Version)
	home, err := filepath.Abs(filepath.Join(toolDir, "azurite-"+Version))
	if err != nil {
		return "", err
	}
	exe = executable(home)
	if _, err := exec.LookPath("node"); err != nil {
		return "", fault.New(fault.Invalid, "node is not on the PATH; install Node.js 20 or newer")
	}
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	if err := os.MkdirAll(toolDir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, home+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(exe); err == nil {
		return exe, nil // another process has installed Azurite in the meantime
	}
	return exe, npmInstall(ctx, home, log)
}

func executable(home string) string {
	exe := filepath.Join(home, "node_modules", ".bin", "azurite")
	if runtime.GOOS == "windows" {
		exe += ".cmd"
	}
	return exe
}

// npmInstall installs into a folder next to home and then renames the folder, so that home is never half installed.
func npmInstall(ctx context.Context, home string, log io.Writer) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fault.New(fault.Invalid, "npm is not on the PATH; install Node.js 20 or newer with npm")
	}
	temp, err := os.MkdirTemp(filepath.Dir(home), "azurite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", temp, "azurite@"+Version, "--no-audit", "--no-fund")
	cmd.Stdout, cmd.Stderr = tee(&printed, log), tee(&printed, log)
	cmd.WaitDelay = 5 * time.Second // npm may leave children that keep the pipes
	if err := cmd.Run(); err != nil {
		return fault.New(fault.Unavailable, "npm: %w: %s", err, tail(printed.Bytes()))
	}
	// A home without the executable is left over from something else, and would make the rename fail.
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	return os.Rename(temp, home)
}

func tee(w io.Writer, log io.Writer) io.Writer {
	if log == nil {
		return w
	}
	return io.MultiWriter(w, log)
}

// tail returns the end of npm's output, where the error is.
func tail(b []byte) []byte {
	b = bytes.TrimSpace(b)
	return b[max(0, len(b)-500):]
}
