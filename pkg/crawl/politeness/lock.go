package politeness

// Lock is a mutex that may be held for long. It is a channel, because package testing/synctest, on which the simulation
// runs, does not take a goroutine that waits for a sync.Mutex for one that waits.
type Lock chan struct{}

// NewLock returns a lock that nobody holds.
func NewLock() Lock { return make(Lock, 1) }

// Lock waits until nobody else holds the lock.
func (l Lock) Lock() { l <- struct{}{} }

// Unlock ends what Lock has begun.
func (l Lock) Unlock() { <-l }
