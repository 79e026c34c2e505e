package sitepoll

// FewerLookups has a step look up so many addresses, until undo is called.
func FewerLookups(n int) (undo func()) {
	was := maxLookups
	maxLookups = n
	return func() { maxLookups = was }
}
