/*
 * The protocol of pkg/registry: how an item that is due comes to be checked, whatever dies.
 * README.md maps each step to the function that it stands for, and says how to run this.
 *
 * Times are ticks from now, so that there are finitely many states: each tick brings all of them
 * closer. A write is one step, as a transaction is. An ETag is a set of processes: those that have
 * read a row and whose reading is still what is stored.
 */

#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef CLIENTS
#define CLIENTS 1
#endif
#ifndef SWEEPS
#define SWEEPS 1
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CALLS
#define CALLS 2         /* of each client: registrations, the second of which forces a check */
#endif
#ifndef FAULTS
#define FAULTS 2        /* deaths, lost and doubled messages, answers that do not arrive */
#endif
#ifndef DELAYS
#define DELAYS 4        /* ticks while somebody is between two steps that are usually quick */
#endif
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef SKEW
#define SKEW 1          /* how far the clocks of the sweeps and of odd workers are ahead */
#endif

/* The order of hintGrace, writeWindow, requestTime, claimHint (which is lockTime), heldTime and jobTTL. */
#define WINDOW  0
#define REQUEST 1
#define GRACE   (WINDOW + REQUEST + SKEW + 1)
#define TRUST   (WINDOW + REQUEST + SKEW)       /* a remembered hint is trusted; 2 * hintGrace, which is more */
#define LOCK    (TRUST + 2)
#define HELD    (LOCK + REQUEST + SKEW)
#define JOBTTL  (HELD + 1)
#define SOON    1                       /* a next check before HELD */
#define LATER   (JOBTTL + 1)            /* and one after JOBTTL */
#define SLOTS   (LATER + SKEW + 1)

#define PROCS (CLIENTS + SWEEPS + WORKERS)
#define NONE  255

/* Rows. */
bool exists[ITEMS];     /* the item */
byte next[ITEMS];       /* its nextCrawlAt */
byte row[ITEMS];        /* the time in its due row's key */
byte claim[ITEMS];      /* enqueuedUntil of its due row */
bool forced[ITEMS];     /* reindexGeneration > processedGeneration */
byte owner[ITEMS];      /* lockOwner */
byte lock[ITEMS];       /* lockedUntil, and REQUEST more */
byte itemTag[ITEMS];    /* who has read the item as it is */
byte rowTag[ITEMS];     /* who has read its due row as it is */
bool hint[SLOTS];       /* the partition's hints; slot 0 holds all whose minute has come */
byte age[SLOTS];        /* since writtenAt, and SKEW more, once its minute has come */
byte hintTag[SLOTS];    /* who has read the hint as it is */
byte messages[ITEMS];   /* jobs in the queue */
bool again[ITEMS];      /* the host takes the owner of the lock for dead, and has given out its message again */

/* What processes hold in memory, where time passes, too. */
byte writes[PROCS];     /* ticks since it wrote a hint for what it is about to write */
byte until[PROCS];      /* when a claim that it writes ends */
byte then[PROCS];       /* a next check, or when a partition needs attention again; NONE: never */
byte picked[PROCS];     /* the slot of the hint that a sweep follows */
bool newer[PROCS];      /* a check was forced since the worker has read its item */
short known[2];         /* the slots that an instance remembers to have written */

/* What nobody stores, for the invariants. */
bool owed[ITEMS];       /* a forced check was acknowledged that nobody has made */
byte faults = FAULTS;
byte delays = DELAYS;
byte busy;              /* processes that are at work */
bool swept[PROCS];      /* the timer of a sweep has fired in this tick */

#define ME(p)       (1 << (p))
#define INSTANCE(p) ((p) >= CLIENTS && ((p) < CLIENTS + SWEEPS || ((p) & 1)))
#define AHEAD(p)    (INSTANCE(p) -> SKEW : 0)
#define IN(p, t)    ((t) + AHEAD(p))
#define DUE(p, i)   (row[i] <= AHEAD(p))
#define FREE(p, i)  (claim[i] <= AHEAD(p))
#define MINUS(x)    ((x) > 0 -> (x) - 1 : 0)
#define MIN(a, b)   ((a) < (b) -> (a) : (b))
#define MAX(a, b)   ((a) > (b) -> (a) : (b))
#define FAULT       faults > 0 -> faults--

/* store.hint: a hint that is far enough away is remembered. */
inline writeHint(p, at) {
	if
	:: (known[INSTANCE(p)] & (1 << (at))) && (MUTANT == 7 || (at) > AHEAD(p) + TRUST)
	:: else ->
		hint[at] = true; age[at] = MIN(SKEW - AHEAD(p) + at, GRACE + SKEW); hintTag[at] = 0;
		known[INSTANCE(p)] = known[INSTANCE(p)] | (1 << (at))
	fi
}

/* store.hinted: the hint, and then within a time the transaction. */
inline announce(p, at) {
	writes[p] = 0;
	if
	:: MUTANT == 2
	:: else -> writeHint(p, at)
	fi
}

#define LANDS(p)  (writes[p] <= WINDOW + REQUEST || MUTANT == 8)
#define LATE(p)   (writes[p] > WINDOW && MUTANT != 8)

inline send(i) {
	if
	:: messages[i] < 2 -> messages[i]++
	:: else
	fi
}

/* Invariants 1, 2 and 4 over the stored rows; 3 is asserted where it is committed. */
inline check() {
	d_step { k = 0;
	do
	:: k < ITEMS && exists[k] ->
		assert(next[k] == row[k]);
		s = 0; found = false;
		do
		:: s < SLOTS && s <= MAX(row[k], claim[k]) + 1 -> found = found || hint[s]; s++
		:: else -> break
		od;
		assert(found);
		assert(!owed[k] || forced[k]);
		k++
	:: k < ITEMS && !exists[k] -> k++
	:: k >= ITEMS -> break
	od;
	k = 0; s = 0; found = false }
}

inline force(i) {
	forced[i] = true; owed[i] = true;
	k = 0;
	do
	:: k < PROCS -> newer[k] = newer[k] || (itemTag[i] & ME(k)) || owner[i] == k; k++
	:: else -> break
	od;
	k = 0
}

/* Items.Register: the first call makes an item; later ones bring it forward and force a check. */
proctype Client(byte p) {
	byte i, calls, k, s; bool found;
start:
	atomic {
		if
		:: calls < CALLS -> calls++; select(i : 0 .. ITEMS - 1); busy++
		:: else -> goto enough
		fi
	}
read:
	atomic { itemTag[i] = itemTag[i] | ME(p);
		until[p] = (lock[i] > AHEAD(p) -> lock[i] + SKEW : IN(p, JOBTTL));    /* Item.ClaimUntil */
		then[p] = MIN(until[p], IN(p, LOCK)); announce(p, then[p]); then[p] = NONE }
	if
	:: atomic { LANDS(p) ->
		writes[p] = NONE;
		if
		:: !(itemTag[i] & ME(p)) -> goto read   /* Conflict */
		:: else
		fi;
		if
		:: exists[i] -> force(i)
		:: else -> exists[i] = true
		fi;
		next[i] = 0; row[i] = 0; claim[i] = until[p];
		itemTag[i] = 0; rowTag[i] = 0;
		if
		:: MUTANT == 2
		:: else -> check()
		fi }
	:: atomic { LATE(p) -> goto read }
	:: atomic { FAULT; goto over }
	fi;
	if
	:: atomic { MUTANT == 2 -> writeHint(p, until[p]) }
	:: MUTANT != 2
	:: atomic { MUTANT == 2 && FAULT; goto over }
	fi;
	if
	:: atomic { send(i) }
	:: atomic { FAULT }                             /* the job is not sent */
	fi;
over:
	atomic { writes[p] = NONE; until[p] = 0; itemTag[i] = itemTag[i] & ~ME(p); i = 0; busy--; goto start }
enough:
	skip
}

/* scanDue: the first row that is due and free, and when the others need attention. */
inline scan(p) {
	looked = age[picked[p]] - picked[p] + AHEAD(p);
	then[p] = NONE; i = NONE; k = 0;
	do
	:: k < ITEMS && !exists[k] -> k++
	:: k < ITEMS && exists[k] ->
		if
		:: !DUE(p, k) -> then[p] = MIN(then[p], row[k])
		:: DUE(p, k) && !FREE(p, k) ->
			then[p] = MIN(then[p], (MUTANT == 12 -> claim[k] : MIN(claim[k], IN(p, LOCK))))
		:: DUE(p, k) && FREE(p, k) && i == NONE -> i = k; rowTag[k] = rowTag[k] | ME(p);
			then[p] = MIN(then[p], IN(p, (MUTANT == 12 -> JOBTTL : LOCK)))
		:: DUE(p, k) && FREE(p, k) && i != NONE -> then[p] = AHEAD(p)      /* no room for it now */
		fi;
		k++
	:: k >= ITEMS -> break
	od;
	until[p] = IN(p, JOBTTL);
	k = 0
}

/* dropHint: not a young one, nor one that was written again. */
inline dropHint(p) {
	if
	:: hint[picked[p]] && (looked >= GRACE + SKEW || MUTANT == 5) &&
		((hintTag[picked[p]] & ME(p)) || MUTANT == 6) -> hint[picked[p]] = false
	:: else
	fi
}

inline idle(p) {
	i = 0; looked = 0; writes[p] = NONE; busy--; hintTag[picked[p]] = hintTag[picked[p]] & ~ME(p); picked[p] = 0;
	until[p] = 0; then[p] = NONE;
	k = 0;
	do
	:: k < ITEMS -> rowTag[k] = rowTag[k] & ~ME(p); k++
	:: else -> break
	od;
	k = 0
}

/* Jobs.Sweep of a partition, whose hint's minute has come. */
proctype Sweep(byte p) {
	byte i, k, s, looked; bool found;
end:
	atomic {
		!swept[p] && (hint[0] || AHEAD(p) > 0 && hint[1]);
		swept[p] = true; busy++;
		picked[p] = (hint[0] -> 0 : 1);
		hintTag[picked[p]] = hintTag[picked[p]] | ME(p)
	}
	atomic { scan(p) }
	if
	:: atomic { i == NONE }
	:: atomic { i != NONE -> writes[p] = 0 };          /* later than its hint: no other is needed */
		if
		:: atomic { LANDS(p) ->
			if
			:: !(rowTag[i] & ME(p)) -> idle(p); goto end     /* Conflict: the hint remains */
			:: else
			fi;
			claim[i] = until[p]; rowTag[i] = 0; writes[p] = NONE;
			if
			:: MUTANT == 2 -> writeHint(p, until[p])
			:: else -> check()
			fi }
		:: atomic { LATE(p) -> idle(p); goto end }
		:: atomic { FAULT; idle(p); goto end }
		fi;
		if
		:: atomic { send(i) }
		:: atomic { FAULT }
		fi
	fi;
	if
	:: atomic { MUTANT == 1 -> dropHint(p) }
	:: MUTANT != 1
	fi;
	if
	:: atomic { then[p] != NONE -> writeHint(p, then[p]) }
	:: atomic { then[p] == NONE }
	:: atomic { FAULT; idle(p); goto end }
	fi;
	if
	:: atomic { MUTANT == 1 -> check() }
	:: atomic { MUTANT != 1 -> dropHint(p); check() }
	:: atomic { FAULT; idle(p); goto end }
	fi;
	atomic { idle(p); goto end }
}

/* A worker that dies gives its message back, or the message is lost with it. */
inline dies(p) {
	faults--;
	if
	:: send(i); again[i] = (owner[i] == p || again[i])
	:: skip
	fi;
	forget(p)
}

inline forget(p) {
	itemTag[i] = itemTag[i] & ~ME(p); newer[p] = false; then[p] = NONE; until[p] = 0;
	writes[p] = NONE; busy--; i = 0; rebased = false
}

/* Jobs.Begin, the check, and Jobs.Commit of one item. */
proctype Worker(byte p) {
	byte i, k, s; bool found, rebased;
end:
	atomic {
		if
		:: messages[0] > 0 -> i = 0
		:: ITEMS > 1 && messages[ITEMS - 1] > 0 -> i = ITEMS - 1
		fi;
		messages[i]--; busy++
	}
	atomic {
		itemTag[i] = itemTag[i] | ME(p); newer[p] = false;
		if
		:: exists[i] && (owner[i] == NONE || lock[i] <= AHEAD(p) || again[i]) && (DUE(p, i) || forced[i])
		:: else -> forget(p); goto end
		fi;
		writes[p] = 0; until[p] = IN(p, HELD)
	}
	if
	:: atomic { LANDS(p) && ((itemTag[i] & ME(p)) || MUTANT == 3) ->
		owner[i] = p; lock[i] = IN(p, LOCK + REQUEST); again[i] = false;
		claim[i] = until[p]; rowTag[i] = 0; until[p] = 0; writes[p] = NONE;
		itemTag[i] = ME(p); check() }
	:: atomic { LANDS(p) && !(itemTag[i] & ME(p)) && MUTANT != 3 -> forget(p); goto end }
	:: atomic { !LANDS(p) -> forget(p); goto end }
	:: atomic { faults > 0 -> dies(p); goto end }
	fi;
	atomic {
		if
		:: then[p] = IN(p, SOON)
		:: then[p] = IN(p, LATER)
		fi
	}
	if
	:: atomic { FAULT; again[i] = (owner[i] == p || again[i]); send(i) }     /* it goes on, and is taken for dead */
	:: skip
	fi;
	atomic {                                        /* Hosts.Holds, and the index */
		if
		:: owner[i] == p || MUTANT == 13 -> assert(owner[i] == p)
		:: else -> forget(p); goto end
		fi
	}
commit:
	atomic {
		if
		:: then[p] < IN(p, HELD) && MUTANT != 10 -> announce(p, then[p])
		:: else -> writes[p] = 0        /* the hint of the lock's claim is early enough */
		fi
	}
	if
	:: atomic { LANDS(p) && ((itemTag[i] & ME(p)) || MUTANT == 4) ->
		assert(owner[i] == p);
		if
		:: rebased -> forced[i] = (MUTANT == 11 -> false : newer[p])
		:: else -> forced[i] = false; next[i] = then[p]; row[i] = then[p]; claim[i] = 0; rowTag[i] = 0
		fi;
		if
		:: !newer[p] -> owed[i] = false
		:: else
		fi;
		owner[i] = NONE; lock[i] = 0; itemTag[i] = 0; again[i] = false;
		if
		:: MUTANT == 2 && !rebased -> writeHint(p, then[p])
		:: else
		fi;
		check() }
	:: atomic { LANDS(p) && !(itemTag[i] & ME(p)) && MUTANT != 4 ->
		if
		:: owner[i] == p || MUTANT == 14 -> itemTag[i] = itemTag[i] | ME(p); rebased = true; goto commit
		:: else -> forget(p); goto end              /* the lock was lost, and so is the finding */
		fi }
	:: atomic { LATE(p) -> goto commit }
	:: atomic { lock[i] <= AHEAD(p) + REQUEST && MUTANT != 4 -> forget(p); goto end }
	:: atomic { faults > 0 -> dies(p); goto end }
	fi;
	if
	:: atomic { rebased -> send(i) }        /* the job of who forced it found it locked */
	:: atomic { !rebased }
	fi;
	atomic { forget(p); goto end }
}

/* The queue loses and doubles messages. */
proctype Queue() {
end:
	do
	:: atomic { messages[0] > 0 && faults > 0 -> faults--; messages[0]-- }
	:: atomic { messages[0] == 1 && faults > 0 -> faults--; messages[0]++ }
	od
}

#define PASS(x, n) k = 0; do :: k < (n) -> x; k++ :: else -> break od

proctype Clock() {
	byte k;
end:
	do
	:: d_step { busy == 0 || delays > 0 ->
		if
		:: busy > 0 -> delays--
		:: else
		fi;
		PASS(next[k] = MINUS(next[k]); row[k] = MINUS(row[k]); lock[k] = MINUS(lock[k]);
			claim[k] = (MUTANT == 9 -> claim[k] : MINUS(claim[k])), ITEMS);
		PASS(swept[k] = false; then[k] = (then[k] == NONE -> NONE : MINUS(then[k])); until[k] = MINUS(until[k]);
			picked[k] = MINUS(picked[k]); writes[k] = (writes[k] == NONE -> NONE : MIN(writes[k] + 1, 9)), PROCS);
		age[0] = MIN(age[0] + 1, GRACE + SKEW);
		known[0] = known[0] >> 1; known[1] = known[1] >> 1;
		/* A hint whose minute comes joins those whose minute has come. */
		if
		:: hint[1] && hint[0] -> age[0] = MIN(age[0], age[1]); hintTag[0] = 0
		:: hint[1] && !hint[0] -> hint[0] = true; age[0] = age[1]; hintTag[0] = hintTag[1]
		:: else
		fi;
		PASS(if :: k > 0 && k < SLOTS - 1 -> hint[k] = hint[k + 1]; age[k] = age[k + 1]; hintTag[k] = hintTag[k + 1]
			:: else fi, SLOTS);
		hint[SLOTS - 1] = false; age[SLOTS - 1] = 0; hintTag[SLOTS - 1] = 0;
		PASS(if :: hint[k] :: else -> age[k] = 0; hintTag[k] = 0 fi, SLOTS);
		k = 0 }
	od
}

init {
	byte k;
	atomic {
		PASS(writes[k] = NONE; then[k] = NONE, PROCS);
		PASS(owner[k] = NONE, ITEMS);
		PASS(run Client(k), CLIENTS);
		PASS(run Sweep(CLIENTS + k), SWEEPS);
		PASS(run Worker(CLIENTS + SWEEPS + k), WORKERS);
		k = 0;
		run Queue(); run Clock()
	}
}

/* Invariant 5: whatever is due or asked for is checked in the end, if nobody is held up for ever. */
ltl checked { [] ((exists[0] && (row[0] == 0 || forced[0])) -> <> (row[0] > 0 && !forced[0])) }
