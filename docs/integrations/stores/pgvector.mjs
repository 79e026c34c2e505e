// Keeps a table of Postgres with pgvector in step with the index: its rows and the cursor change in one transaction.
//
//	npm ci && node pgvector.mjs FOLDER
//
// Postgres runs here, in FOLDER, as PGlite; another one takes the same statements. TIDEMARK_SERVER is the server,
// http://127.0.0.1:7071 when unset, and TIDEMARK_KEY a key. Run it again for what has changed meanwhile.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

const server = process.env.TIDEMARK_SERVER || "http://127.0.0.1:7071";
const state = process.env.XDG_STATE_HOME || `${homedir()}/.local/state`;
const left = `${state}/tidemark/keys/${server.split("://").pop()}`; // by a server on this machine, for its user
const key = process.env.TIDEMARK_KEY || (existsSync(left) ? readFileSync(left, "utf8").trim() : "");

/** embed stands for your model. With vectors=true in the address, changes have the vector of the server's model. */
const embed = async (text) => `[${[1, 2, 3, 5].map((n) => [...text].filter((_, i) => i % n === 0).length)}]`;

/** ask gives the changes since a cursor, or null when the server no longer knows it. */
async function ask(since) {
  const url = `${server}/api/chunks/changes${since ? `?since=${encodeURIComponent(since)}` : ""}`;
  const answer = await fetch(url, { headers: key ? { "x-functions-key": key } : {} });
  if (answer.status === 410) return null;
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return answer.json();
}

/** put stores a chunk. While its hash is the same, its vector stays. */
async function put(tx, c) {
  const row = [c.chunkId, c.itemId ?? c.entryId, c.hash, c.url, c.text];
  const set = "update chunks set page = $2, url = $4, text = $5, stale = false where id = $1 and hash = $3";
  if ((await tx.query(set, row)).affectedRows > 0) return;
  await tx.query("delete from chunks where id = $1", [c.chunkId]);
  const vector = await embed([...(c.headingPath ?? []), c.text].join("\n"));
  await tx.query("insert into chunks values ($1, $2, $3, $4, $5, $6)", [...row, vector]);
}

/** apply makes the changes of an answer. In a copy, what was not named by its end is deleted. */
async function apply(tx, { changes, copying, cursor }, begins) {
  if (begins) await tx.query("update chunks set stale = true");
  for (const c of changes) {
    if (c.op === "upsert") await put(tx, c);
    else if (c.op === "delete") await tx.query("delete from chunks where id = $1", [c.chunkId]);
    else await tx.query("delete from chunks where page = $1", [c.itemId ?? c.entryId]);
  }
  if (!copying) await tx.query("delete from chunks where stale");
  await tx.query("insert into follower values (1, $1) on conflict (id) do update set cursor = $1", [cursor]);
}

const db = await PGlite.create({ dataDir: process.argv[2], extensions: { vector } });
await db.exec(`create extension if not exists vector; create table if not exists follower (id int primary key,
  cursor text); create table if not exists chunks (id text primary key, page text, hash text, url text, text text,
  embedding vector(4), stale bool default false)`);
for (let since = (await db.query("select cursor from follower")).rows[0]?.cursor, answer; ; since = answer?.cursor) {
  answer = await ask(since);
  if (answer) await db.transaction((tx) => apply(tx, answer, !since));
  if (answer && !answer.changes.length && !answer.copying) break;
}
await db.close();
