package registry

// standing is what a host's row counts of an item. The zero standing is that of an item that is
// outside the registry.
type standing struct {
	status Status
	waits  bool // for a rebuild
	// revisited is an item that is gone while its status is another: it was registered again, or has
	// failed since. It is there no more than one whose status says so.
	revisited bool
}

func (it *Item) standing() standing {
	return standing{it.Status, it.RebuildPending, !it.GoneSince.IsZero() && it.Status != Gone}
}

// recount counts an item that was one thing and is another now.
func (h *hostState) recount(was, is standing) {
	h.move(was.status, is.status)
	h.Rebuilding += one(is.waits) - one(was.waits)
	h.Revisited += one(is.revisited) - one(was.revisited)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// move counts an item from one status to another; an empty status is outside the registry.
func (h *hostState) move(from, to Status) {
	if from == to {
		return
	}
	if h.Counts == nil {
		h.Counts = map[Status]int{}
	}
	if from != "" && h.Counts[from] > 0 {
		h.Counts[from]--
	}
	if to != "" {
		h.Counts[to]++
	}
}
