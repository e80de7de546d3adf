#!/usr/bin/env node
// Passes notifications of `edgewise serve` on to an incoming webhook of Slack, which takes its own JSON only.
//   SLACK_WEBHOOK_FILE=/run/secrets/slack-webhook node slack-relay.mjs [PORT]
// It listens on 127.0.0.1 alone. What Slack does not take is answered with 502, and edgewise tries it again.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const file = process.env.SLACK_WEBHOOK_FILE ?? "/run/secrets/slack-webhook";
const port = Number(process.argv[2] ?? 7071);
const mostBytes = 64 * 1024;

/** What Slack takes for markup in a text. */
const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const signs = { failed: "🔴", waiting: "🟡", recovered: "🟢", drift: "🟠", braked: "⛔", orphaned: "🟣" };

async function pass(request) {
  let body = "";
  for await (const piece of request) {
    body += piece;
    if (body.length > mostBytes) return 413;
  }
  const { event, text } = JSON.parse(body);
  const escaped = String(text).replace(/[&<>]/g, (character) => entities[character]);
  const url = (await readFile(file, "utf8")).trim();
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: `${signs[event] ?? ""} ${escaped}` }),
    redirect: "error",
    signal: AbortSignal.timeout(8000),
  });
  return answer.ok ? 204 : 502;
}

const server = createServer((request, response) => {
  pass(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(502).end(),
  );
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
