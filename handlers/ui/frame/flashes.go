package frame

// doubtful are the messages that ask for attention, although the action succeeded.
var doubtful = map[string]bool{"settings-nothing": true, "added-route": true, "site-route": true}

// These settings replace each other.
const (
	scheduleGone = "Saved. The schedule was removed, because an interval was set."
	intervalGone = "Saved. The interval was removed, because a schedule was set."
)

// flashes are the messages that pages show after an action. The address of such a page contains the message's name.
var flashes = map[string]string{
	"filter-kept":      "The filter is saved. Only you can see it.",
	"filter-forgotten": "The filter is deleted.",

	"site-removed": "The site is removed. Its pages stay and are watched as before.",

	"added": "Registered. It will be fetched as soon as its host allows.",
	"added-route": "Registered without the part of the address after #. The page is read without it, and any other " +
		"route of the page is the same item.",
	"site-route": "The part of an address after # is left out. Pages are read without it, and other routes of a page " +
		"are the same item.",
	"forced":   "It will be fetched and indexed again, even if it has not changed.",
	"check":    "It will be checked now.",
	"removed":  "The item will be gone within seconds, and every stored version is deleted.",
	"paused":   "Paused. It is checked only on request.",
	"resumed":  "Resumed. Checks follow their schedule again.",
	"accepted": "The page is accepted as it is. It will be checked now.",
	"ignored":  "Lines like these are ignored from now on.",
	"counted":  "Lines like these count again.",

	"part":     "Saved. The next check reads the page with these parts; what changes elsewhere is not reported.",
	"settings": "Saved.",
	"settings-nothing": "Saved, but the selectors find nothing in the page as it was last read. " +
		"Watch a part shows what there is to choose from.",
	"settings-schedule":  scheduleGone,
	"settings-interval":  intervalGone,
	"tag-saved":          "Saved.",
	"tag-saved-schedule": scheduleGone,
	"tag-saved-interval": intervalGone,
	"tag-removed":        "The settings of the tag are removed.",

	"run-pause":  "The run pauses before its next step.",
	"run-resume": "The run continues.",
	"run-cancel": "The run ends before its next step.",

	"described": "The entry is described.",
	"batch-cancel": "The batch is being cancelled. Answers that arrive before it ends are used; " +
		"other entries stay as they were.",

	"delivery-retry": "The message is being sent again.",
	"rule-save":      "The rule is saved. It applies to changes from now on.",
	"rule-remove":    "The rule is removed.",
	"muted":          "Muted: no messages about this page. Its changes stay listed here, and are not sent later.",
	"unmuted":        "The mute has ended. Changes from now on lead to messages again.",
	"address-save":   "The address is confirmed. Messages from now on have links to it.",
	"address-remove": "The address is removed. Messages from now on have no links back.",
	"channel-save":   "The channel is saved. Send a test to see whether it works.",
	"channel-tested": "The channel is saved. Its receiver accepted a test.",
	"channel-remove": "The channel is removed.",

	"key-remove": "The key is removed. It opens nothing any more, and its sessions have ended.",

	"test-on":  "Test mode is on: entries go to the test tables.",
	"test-off": "Test mode is off.",
}
