//go:build !unix

package file

// noWait is zero where pipes are not files.
const noWait = 0
