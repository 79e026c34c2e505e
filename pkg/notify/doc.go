// Package notify tells people and programs of changes: each change that a rule wants reaches each channel of the rule
// at least once, always with the same id, whatever dies, and however many changes come, messages stay few.
//
// # How it works
//
// A timer follows the feed ([Follower.Follow]). A step reads what is new, lets every rule decide (package digest), and
// commits in one transaction the deliveries, what the rules have gathered, and how far it has read. So a step that dies
// did nothing, and of two at once one does. Each delivery then has a message in a queue, whose worker sends it
// ([Worker.Deliver]).
//
//	Notifications  notify   state        how far the feed was read, and what each rule has gathered
//	               notify   w<delivery>  a delivery that waits
//	               notify   d<delivery>  one that was sent, or has failed
//	               notify   h<channel>   when a channel that failed is tried next
//	               rules    <id>         a rule
//	               channels <name>       a channel
//
// The id of a delivery is made of the place of its (last) change, so that the newest stand first, of its rule and of
// its channel. A message that was lost is sent again by the timer, after [lostAfter]. A worker takes a delivery by its
// revision for [sendLease], so two do not send it at once; one that dies leaves it to the next.
//
// What fails is tried again with growing pauses, for a day, and has failed then; somebody may send it again. A channel
// that takes nothing at all rests as a whole meanwhile: one message tries it, the others wait, and cost no worker any
// time. A process sends at most [perChannel] messages to a channel at once.
//
// # Why rules tell of changes since they were made
//
// A rule has a place in the feed, and what came before is no news. A digest keeps no changes, but the range of the feed
// that it tells of, and is written when it is due.
package notify
