//go:build !linux

package folder

// Exchange puts the folder fresh in the place of used, and used in that of fresh.
func Exchange(fresh, used string) error { return exchangeByHand(fresh, used) }
