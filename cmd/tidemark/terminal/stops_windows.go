package terminal

// ignoreTerminalStops does nothing: Windows does not stop a process that reads the terminal.
func ignoreTerminalStops() (undo func()) { return func() {} }
