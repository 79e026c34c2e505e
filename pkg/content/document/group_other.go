//go:build !unix

package document

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

// private makes a folder. Folders for temporary files are those of one user here.
func private(dir string) bool { return os.MkdirAll(dir, 0o700) == nil }
