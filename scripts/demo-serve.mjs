// npm run demo:serve: edgewise serve keeps a stack as Git says, within what it may do unasked. Leaves nothing running and
// no files.
import { setTimeout as pause } from "node:timers/promises";
import { startDemo } from "./demo-start.mjs";
import { openServeSession } from "./serve-session.mjs";

startDemo();

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: shop\nmanifests: [page.yaml]\n";
const page = (body) => `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: { name: sorry-page }
spec:
  status_code: 503
  description: What visitors see during maintenance
  body: ${body}
`;

const say = (text) => console.log(`\n# ${text}`);
const show = (command, output = "") => console.log(`$ ${command}\n${output}`.trimEnd());

const session = await openServeSession(({ message }) => console.log(`serve | ${message}`));
let serve;

/** What the server answers; null when there is no such thing yet. */
async function ask(path) {
  const response = await fetch(`${serve.url}${path}`, { signal: AbortSignal.timeout(10_000) });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return await response.json();
}

/** Waits until the stack is as `is` says; far longer than it takes. */
async function until(what, is) {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    const shown = await ask("/api/stacks/shop");
    if (shown !== null && (await is(shown))) return shown;
    await pause(100);
  }
  throw new Error(`waited in vain until ${what}: ${JSON.stringify(await ask("/api/stacks/shop"))}`);
}

/** The page as it is live. */
async function livePage() {
  const { backends } = await session.request("GET", "/backends/http_response");
  return backends[0] ?? {};
}

/** Somebody changes the page by hand, past Git. */
async function edit(body) {
  const { id } = await livePage();
  await session.request("PATCH", `/backends/http_response/${id}`, body);
  show(`curl -X PATCH $SERVICE/backends/http_response/${id} --json '${JSON.stringify(body)}'`);
}

/** Commits everything in the clone and pushes it. */
function push(message) {
  session.git("add", "-A");
  session.git("commit", "-qm", message);
  session.git("push", "-q", "origin", "main");
  show(`git add -A && git commit -qm '${message}' && git push`);
  return session.git("rev-parse", "HEAD").trim();
}

async function run() {
  say("A repository with one page, and a controller that follows it");
  session.write("edgewise.yaml", config);
  session.write("page.yaml", page("Back soon."));
  const first = push("Add the page that visitors see");
  show("edgewise serve fleet.yaml");
  serve = await session.startServe();
  await until("the page is made", (shown) => shown.state === "synced" && shown.appliedCommit === first);

  say("A push: nobody runs anything, and it is live");
  session.write("page.yaml", page("Back at noon."));
  const second = push("Say when we are back");
  await until("the push is live", (shown) => shown.state === "synced" && shown.appliedCommit === second);
  console.log(`live: ${JSON.stringify((await livePage()).body)}`);

  say("Somebody changes the description by hand. It is cosmetic, so it is put back unasked");
  const { description } = await livePage();
  await edit({ description: "do not touch!!!" });
  await until("it is put back", async () => (await livePage()).description === description);
  await until("that is verified", (shown) => shown.state === "synced");
  console.log(`live: ${JSON.stringify(description)}`);

  say("Somebody makes it answer 200 by hand. That changes what visitors get: it waits for a yes");
  await edit({ status_code: 200 });
  const waiting = await until("it waits", (shown) => shown.reason === "approval" && shown.digest !== null);
  const { state, reason, impact, changes, digest } = waiting;
  show(`curl ${serve.url}/api/stacks/shop`, JSON.stringify({ state, reason, impact, changes, digest }));

  say("Ann says yes to exactly this, with a signed tag (`edgewise approve shop` does the same)");
  const tag = `edgewise/approve/shop/${digest}/ann@example.com`;
  session.git("tag", "-s", tag, "-m", "We are still closed");
  session.git("push", "-q", "origin", `refs/tags/${tag}`);
  show(`git tag -s ${tag} -m 'We are still closed'`);
  show(`git push origin refs/tags/${tag}`);
  await until("it is put back", async (shown) => shown.state === "synced" && (await livePage()).status_code === 503);

  say("Who said yes to what stays in the history");
  const { entries } = await ask("/api/stacks/shop/history?limit=50");
  const approved = entries.find((entry) => entry.approval !== null);
  if (approved === undefined) throw new Error(`no entry of the history names the approval: ${JSON.stringify(entries)}`);
  const { approver, message } = approved.approval;
  show(`curl ${serve.url}/api/stacks/shop/history`, JSON.stringify({ approver, message }));

  say("It ends when it is told to, and everything is saved");
  show("kill -TERM $SERVE");
  const code = await serve.stop();
  if (code !== 0) throw new Error(`serve ended with ${code}, not 0`);
}

try {
  await run();
  console.log("\ndemo: every step went as expected");
} catch (error) {
  console.log(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await serve?.kill();
  session.close();
}
