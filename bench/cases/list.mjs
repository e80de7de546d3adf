// Only follows the pages of the longest list; prints the milliseconds without Node's start.
import { Agent, get } from "node:http";

const { EDGEWISE_API_KEY: key, EDGEWISE_BASE_URL: base } = process.env;
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${key}`, "service-version": "2" };

function page(url) {
  return new Promise((done, fail) => {
    get(url, { agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => done(JSON.parse(text)));
    }).on("error", fail);
  });
}

const from = performance.now();
let url = `${base}/edges/tls`;
while (url !== null) {
  const { next_page_uri: next } = await page(url);
  url = next ?? null;
}
console.log(JSON.stringify({ ms: performance.now() - from }));
agent.destroy();
