//go:build !unix

package document

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

// private creates a folder and reports whether the folder exists. On this system, the folder for temporary files
// belongs to one user.
func private(dir string) bool { return os.MkdirAll(dir, 0o700) == nil }
