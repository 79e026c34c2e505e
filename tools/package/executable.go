package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
)

// checkExecutable returns an error for a program that the host in Azure cannot start. The host runs on linux/amd64,
// in an image with its own C library.
func checkExecutable(path string) error {
	f, err := elf.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing, but %s names it", path, hostFile)
	}
	if err != nil {
		return fmt.Errorf("%s is no Linux executable (%w): run `make package`", path, err)
	}
	defer f.Close()
	if f.Class != elf.ELFCLASS64 || f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("%s is built for %v, %v, and not for linux/amd64: run `make package`", path, f.Machine, f.Class)
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return fmt.Errorf("%s is %v and no program", path, f.Type)
	}
	for _, p := range f.Progs {
		// Only dynamically linked programs have this segment. A static position-independent program has a dynamic
		// section, too.
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s is dynamically linked: build it with CGO_ENABLED=0, as `make package` does", path)
		}
	}
	return nil
}

// isExecutable reports whether a file is executable, by its mode or by its content.
func isExecutable(path string, d fs.DirEntry) bool {
	if info, err := d.Info(); err == nil && info.Mode()&0o111 != 0 {
		return true
	}
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
