// Package site reads the site file: which sites are backfilled, where each publishes what it has,
// which of its pages are wanted and how fast it may be asked (E3, E9; spec 004 ARC-2).
//
// It promises that a file which [Parse] takes can be run as it stands, and that one which it
// refuses is refused with every mistake at once, each with its line and what is allowed. It knows
// no file system and no clock.
package site
