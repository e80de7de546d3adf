// What no program can do without: reads an account, or reads it, writes and reads it again. No check, no plan, no retry.
//   bare.mjs                     follows the pages of all lists, side by side
//   bare.mjs FILE CONCURRENCY    the same, then sends the requests of the file (see `posts`), and reads again
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";

const { EDGEWISE_API_KEY: key, EDGEWISE_BASE_URL: base } = process.env;
const common = { authorization: `Bearer ${key}`, "service-version": "2" };
const dispatcher = new Agent();
const collections = [
  "/ip_restrictions",
  "/edges/tls",
  "/reserved_addrs",
  "/backends/http_response",
  "/tls_certificates",
];

async function send(method, url, body) {
  const headers = body === undefined ? common : { ...common, "content-type": "application/json" };
  const response = await request(url, { method, headers, body, dispatcher });
  if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode}`);
  return await response.body.json();
}

async function follow(collection) {
  for (let url = base + collection; url != null;) url = (await send("GET", url)).next_page_uri;
}
const readLists = () => Promise.all(collections.map(follow));

await readLists();
const [file, concurrency] = process.argv.slice(2);
if (file !== undefined) {
  const ids = new Map();
  const queue = JSON.parse(readFileSync(file, "utf8")).values();
  const lane = async () => {
    for (const { body, name, needs, path } of queue) {
      if (needs !== null) body.backend.backend_id = await ids.get(needs);
      const made = send("POST", base + path, JSON.stringify(body)).then(({ id }) => id);
      ids.set(name, made);
      await made;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, lane));
  await readLists();
}
await dispatcher.close();
