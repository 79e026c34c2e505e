// Package feed keeps what has changed, each change once and all in one order, so that followers miss nothing, even if
// processes die and clocks differ.
//
// # Promises
//
// A change has a [Place], which is also its id, and changes that are written later have later places. A reader that
// has seen everything up to a place and asks for what comes after it gets every later change exactly once.
// [Feed.Publish] may be repeated, by any process and after any crash: a group of changes is written once.
//
// # How it is kept
//
// The feed is a row of segments, numbered from 1. A segment is a partition of the table Changes:
//
//	<segment>  head        how many groups the segment has, and whether it is sealed
//	<segment>  g<number>   a group: the changes of one commit, numbered without gaps
//	<segment>  m<id>       says that the group of that id is here
//	feed       now         the segment that is written to
//	feed       s<segment>  since when a segment is written to
//	reader     <name>      what somebody has read: all up to a place, and some changes beyond it
//
// One transaction writes a group, its mark, and the head by its revision: of two writers one fails, and looks again.
// A write that takes effect after its client gave up fails likewise, or has taken effect before anybody else's. After
// a day, or [maxGroups] groups, the head is sealed, which ends all writing to the segment, and the next one begins.
// Who does not know whether a group was written looks for its mark in the segments that were written to since then.
//
// Alternatives considered: keys of time need clocks that agree, and a reader who waits for the slowest writer; a row
// for each change costs 32 times as many writes and saves nothing, since changes are read in a row.
package feed
