// Package keys identifies the sender of a request by keys, which have a name and a scope, and by sessions of people
// who signed in with a key. The store holds nothing that grants access.
//
// A key is "tm_" followed by 130 random bits. It is shown once. The store keeps its SHA-256, which is enough because
// the text cannot be guessed. Keys may also come from a file and from the environment, in plain text or as their
// SHA-256. All keys are in memory, by their hashes, and are read again after at most [Fresh]. So a key slows no
// request down, a stranger who tries many keys causes no storage requests, and a key removed by another process is
// refused within that time. The process that removes a key refuses it at once.
//
//	Keys   PK key       RK <name>              scope hash created lastUsed
//	       PK session   RK <SHA-256 of token>  key hash created expires
//
// A session is a row, too, named by the hash of its token. It ends after [SessionLife], or when its key is removed.
//
// The time of a key's last use is written at most once per [usedEvery], so requests cost no writes. For keys from the
// file or the environment, each process knows only its own uses.
package keys
