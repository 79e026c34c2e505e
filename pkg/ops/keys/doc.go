// Package keys identifies the sender of a request by a key, which has a name and a scope, or by the session of a
// person who signed in with a key. The store holds nothing that grants access.
//
// A key is "tm_" followed by 130 random bits. It is shown once. The store keeps only its SHA-256; a stronger hash is
// not needed, because the key cannot be guessed. Keys may also come from a file and from the environment, in plain
// text or as their SHA-256. The process holds all keys in memory, by their hashes, and reads them again after at most
// [Fresh]. So keys delay no request, and a stranger who tries many keys causes no storage requests. A key that
// another process removed is refused after at most that time. The process that removes a key refuses it at once.
//
//	Keys   PK key       RK <name>              scope hash created lastUsed
//	       PK session   RK <SHA-256 of token>  key hash created expires
//
// A session is also a row, whose key contains the hash of the session's token. The session ends after [SessionLife],
// or when its key is removed.
//
// The time of a key's last use is written at most once per [usedEvery], so most requests cost no write. For keys from
// the file or the environment, each process knows only its own uses.
package keys
