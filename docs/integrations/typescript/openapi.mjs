// Asks the server of TIDEMARK_SERVER for its description, openapi.json, of which "npm run types" makes api.ts. The key is
// that of TIDEMARK_KEY, or the one that a server on this machine leaves for its user.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

const server = (process.env.TIDEMARK_SERVER || "http://127.0.0.1:7071").replace("http://localhost", "http://127.0.0.1");
const state = process.env.XDG_STATE_HOME || `${homedir()}/.local/state`;
const left = `${state}/tidemark/keys/${server.split("://").pop()}`;
const key = process.env.TIDEMARK_KEY || (existsSync(left) ? readFileSync(left, "utf8").trim() : "");
const answer = await fetch(server + "/api/openapi.json", { headers: key ? { "x-functions-key": key } : {} });
const text = await answer.text();
if (!answer.ok) throw new Error(`${server} answered ${answer.status}: ${text}`);
writeFileSync("openapi.json", text);
