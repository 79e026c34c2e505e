// Adds a page, waits until it is indexed, searches, and lists what changed meanwhile.
//
//	npm ci && npm run build && node build/example.js URL WORDS
//
// TIDEMARK_SERVER is the server, http://localhost:7071 when unset; TIDEMARK_KEY is a key, for a server on this machine
// that you run yourself the one that it leaves for you when unset.
// The types in api.ts are made of what the server says of itself (npm run types); openapi-fetch checks requests and
// answers against them when this is compiled. The folder works wherever it is copied to.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const server = (process.env.TIDEMARK_SERVER ?? "http://localhost:7071").replace("http://localhost", "http://127.0.0.1");

/** leftKey gives the key that a server on this machine leaves for its user, or none. */
function leftKey(): string {
  const state = process.env.XDG_STATE_HOME || `${homedir()}/.local/state`;
  try {
    return readFileSync(`${state}/tidemark/keys/${server.split("://").pop()}`, "utf8").trim();
  } catch {
    return "";
  }
}

const key = process.env.TIDEMARK_KEY || leftKey();
const client = createClient<paths>({
  baseUrl: server + "/api",
  headers: key ? { "x-functions-key": key } : {},
});

type Change = components["schemas"]["FeedChange"];

/** ok gives the data of an answer, or throws the problem document, which says what to do. */
function ok<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

/** wait polls an item until it was checked. */
async function wait(id: string, seconds = 60): Promise<string> {
  for (const end = Date.now() + seconds * 1000; ; ) {
    const { status } = ok(await client.GET("/items/{id}", { params: { path: { id } } }));
    if (status !== "Pending" && status !== "Crawled") return status;
    if (Date.now() > end) throw new Error(`${id} is still ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** changed gives what has changed since a time, page by page. */
async function* changed(since: string): AsyncGenerator<Change> {
  let continuation: string | undefined;
  do {
    const query = { since, order: "oldest", top: 500, continuation };
    const page = ok(await client.GET("/changes", { params: { query } }));
    yield* page.changes;
    continuation = page.continuation;
  } while (continuation);
}

async function main(url: string, words: string): Promise<void> {
  const since = new Date().toISOString().replace(/\.\d+/, "");
  const added = ok(await client.POST("/AddUrlDocument", { body: { url } }));
  if (!("id" in added)) throw new Error("an answer for many, but one was added");
  console.log("added", added.id);
  console.log("it is", await wait(added.id));
  for (const r of ok(await client.POST("/Search", { body: { q: words, top: 3 } })).results) {
    console.log("found", r.title, r.url);
  }
  for await (const { url, at, kind } of changed(since)) console.log(`changed ${url} at ${at}: ${kind}`);
}

const [url, words] = process.argv.slice(2);
if (!url || !words) {
  console.error("usage: example URL WORDS");
  process.exit(2);
}
await main(url, words);
