// Calls each method of an MCP server by the official clients for TypeScript: version 2, which negotiates the protocol
// or is pinned to a revision, and version 1. Prints what each client was answered, a JSON document in a line.
//
//	node clients.mjs FOLDER-OF-MODULES SERVER PAGE
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, server, page] = process.argv.slice(2);
const require = createRequire(modules + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const two = await load("@modelcontextprotocol/client");
const one = {
  ...(await load("@modelcontextprotocol/sdk/client/index.js")),
  ...(await load("@modelcontextprotocol/sdk/client/streamableHttp.js")),
};

async function calls(name, { Client, StreamableHTTPClientTransport }, options) {
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(server)));
  const tools = await client.listTools();
  const templates = await client.listResourceTemplates();
  const listed = await client.listResources();
  const called = await client.callTool({ name: "read_page", arguments: { page } });
  const read = await client.readResource({ uri: listed.resources[0].uri });
  console.log(JSON.stringify({
    name, tools: tools.tools.length, templates: templates.resourceTemplates.length, called: called.content[0].text,
    listed: listed.resources[0], listScope: listed.cacheScope, toolScope: tools.cacheScope, read: read.contents[0].text,
    readScope: read.cacheScope, ttl: read.ttlMs,
  }));
  await client.close();
}

await calls("auto", two, { versionNegotiation: { mode: "auto" } });
await calls("pinned", two, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
await calls("version 1", one);
process.exit(0);
