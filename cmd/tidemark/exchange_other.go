//go:build !linux

package main

// exchange puts the folder fresh in the place of used, and used in that of fresh.
func exchange(fresh, used string) error { return exchangeByHand(fresh, used) }
