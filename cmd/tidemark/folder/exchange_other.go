//go:build !linux

package folder

// Exchange exchanges the folders fresh and used.
func Exchange(fresh, used string) error { return exchangeByHand(fresh, used) }
