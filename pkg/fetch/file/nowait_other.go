//go:build !unix

package file

// noWait is zero on systems where pipes are not files.
const noWait = 0
