package sitepoll

// FewerLookups limits the addresses that a step looks up, until undo is called.
func FewerLookups(n int) (undo func()) {
	was := maxLookups
	maxLookups = n
	return func() { maxLookups = was }
}
