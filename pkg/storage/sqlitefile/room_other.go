//go:build !linux

package sqlitefile

import "errors"

// RoomOf returns an error.
func RoomOf(string) (Room, error) { return Room{}, errors.New("only on Linux") }
