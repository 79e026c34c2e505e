//go:build !unix

package file

// noWait is nothing where pipes are no files.
const noWait = 0
