// The least that any program does which reads and writes an account: no check, no plan, no retry. Imported by the floors.
import { Agent, request } from "node:http";

const { EDGEWISE_API_KEY: key, EDGEWISE_BASE_URL: base } = process.env;
const headers = { authorization: `Bearer ${key}`, "service-version": "2" };
const agent = new Agent({ keepAlive: true });
const collections = [
  "/ip_restrictions",
  "/edges/tls",
  "/reserved_addrs",
  "/backends/http_response",
  "/tls_certificates",
];

/** Sends a request. @returns the body of its response */
function send(method, url, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const more =
    text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((done, fail) => {
    const sent = request(url, { agent, method, headers: { ...headers, ...more } }, (response) => {
      let received = "";
      response.setEncoding("utf8").on("data", (part) => (received += part));
      response.on("end", () => {
        if ((response.statusCode ?? 500) >= 300)
          fail(new Error(`${method} ${url}: ${response.statusCode} ${received}`));
        else done(JSON.parse(received));
      });
    });
    sent.on("error", fail).end(text);
  });
}

/** Follows the pages of all lists side by side. @returns the milliseconds of the longest */
export async function readLists() {
  const follow = async (collection) => {
    const from = performance.now();
    for (let url = `${base}${collection}`; url !== null;) {
      const { next_page_uri: next } = await send("GET", url);
      url = next ?? null;
    }
    return performance.now() - from;
  };
  return Math.max(...(await Promise.all(collections.map(follow))));
}

/** @returns the body of the response */
export const post = (path, body) => send("POST", `${base}${path}`, body);

export const end = () => agent.destroy();
