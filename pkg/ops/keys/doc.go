// Package keys tells who a request is from: keys with a name and a scope, of which nothing is kept that would open
// anything, and sessions of people who signed in with one.
//
// A key is "tm_" and 130 random bits. It is shown once; kept is its SHA-256, which is enough for a text that cannot be
// guessed. Keys also come from a file and from the environment, as they are or as their SHA-256. All keys are in
// memory, by their hashes, and are read again after [Fresh] at most: so no answer takes longer because a key exists, a
// stranger who tries many costs no storage requests, and a key that was removed elsewhere is refused within that time.
// In the process that removes it, it is refused at once.
//
//	Keys   PK key       RK <name>              scope hash created lastUsed
//	       PK session   RK <SHA-256 of token>  key hash created expires
//
// A session is a row, too, named by the hash of its token. It ends by itself after [SessionLife], and with its key.
//
// The time of a key's last use is written at most once in [usedEvery], so that requests cost no writes. Of keys that
// come from elsewhere this process alone knows it.
package keys
