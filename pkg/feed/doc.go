// Package feed keeps a list of all changes, each once and in one order. Followers miss no change, even if processes
// die or clocks differ.
//
// # Promises
//
// Every change has a [Position], its position in the feed, which is also the id of the change. Changes that are
// written later have later positions. A reader that has seen everything up to a position, and asks for the changes
// after it, gets every later change exactly once. Any process may repeat [Feed.Publish], even after a crash: each
// group of changes is written only once.
//
// # Storage
//
// The feed is a sequence of segments, numbered from 1. A segment is a partition of the table Changes:
//
//	<segment>  head        how many groups the segment has, and whether it is sealed
//	<segment>  g<number>   a group: the changes of one commit, numbered without gaps
//	<segment>  m<id>       a marker: the segment contains the group with that id
//	feed       now         the open segment, which writers write to
//	feed       s<segment>  when the segment was opened
//	reader     <name>      what a reader has read: everything up to a position, and some changes after it
//
// One transaction writes a group and its marker, and updates the head if the head has not changed since it was read.
// If two writers compete, one fails and reads the head again. A write may reach the store after its client gave up.
// It also fails if another write took effect before it. After a day, or after [maxGroups] groups, the head is sealed,
// which ends all writing to the segment, and the next segment is opened. A writer that does not know whether a group
// was written searches for the group's marker in all segments that have been open since the commit.
//
// Alternatives considered: Keys made from times need clocks that agree, and readers that wait for the slowest writer.
// A row for each change costs 32 times as many writes and saves nothing, because changes are read in sequence.
package feed
