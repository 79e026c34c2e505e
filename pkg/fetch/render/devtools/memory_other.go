//go:build !linux

package devtools

// Memory returns nothing: the memory of processes is measured on Linux only.
func (p *Process) Memory() (total, largest int64) { return 0, 0 }

// KillLargest does nothing.
func (p *Process) KillLargest() {}
