// Package site reads the site file. The file lists the sites that are backfilled. For each site it says where the
// site publishes its pages, which pages are wanted, and how fast each host may be requested (E3, E9; spec 004 ARC-2).
//
// A file that [Parse] accepts can be run unchanged. For any other file, Parse reports all mistakes at once, each with
// its line and with the values that are allowed. The package uses no file system and no clock.
package site
