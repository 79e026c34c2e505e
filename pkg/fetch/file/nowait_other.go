//go:build !unix

package file

// noWait is zero here, because pipes are not files on these systems.
const noWait = 0
