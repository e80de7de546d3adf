import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Stage, backend, edge, stage } from "../commands/stage.ts";
import { type HostileService, hostileService, plainly } from "../slow/security/support/hostile-service.ts";

const secret = 'hook+secret/"of" ünit 81';
const apiKey = "key-of-the-stage";

const route = (source: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: r, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: ${source}}}
---
`;

function spellings(text: string): readonly string[] {
  const base64 = (whole: string): string => Buffer.from(whole).toString("base64").replaceAll("=", "");
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    base64(text),
    base64(`me:${text}`).slice(4),
  ];
}

function expectNone(shown: string, ...secrets: readonly string[]): void {
  for (const each of secrets) for (const form of spellings(each)) expect(shown).not.toContain(form);
}

const marked = (name: string): string => JSON.stringify({ edgewise: { stack: "demo", name } });

async function echoing(): Promise<Stage> {
  const on = await stage();
  on.env["HOOK"] = secret;
  const config = "{on_tcp_connect: [{actions: [{type: log, config: {token: {env: HOOK}}}]}]}";
  await on.write("edge/e.yaml", edge("e", "e.example.com:443", `, traffic_policy: {value: ${config}}`));
  await on.write("edge/b.yaml", backend("b", "status_code: 503, body: x, description: other"));
  const description = [...spellings(secret), ...spellings(apiKey)].join(" ");
  on.behind("POST", "/backends/http_response", { description, metadata: marked("b"), status_code: 503, body: "x" });
  const policy = JSON.stringify({
    on_tcp_connect: [{ actions: [{ type: "log", config: { token: "live-token-of-e", note: secret } }] }],
  });
  on.behind("POST", "/edges/tls", {
    hostports: ["e.example.com:443"],
    metadata: marked("e"),
    traffic_policy: { value: policy },
  });
  return on;
}

describe("A committed file with words of live resources is named as a secret → the plan shows what it does", () => {
  it.each(["e7.example.com:443", "TLSEdge/e7", "delete\ne7.example.com:443\nhostports"])("%j", async (words) => {
    const on = await stage();
    on.behind("POST", "/edges/tls", { hostports: ["e7.example.com:443"], metadata: marked("e7") });
    await on.write("words.txt", words);
    await on.write("edge/r.yaml", route("{file: ../words.txt}") + backend("b"));
    const { err, out } = await on.run("plan", "--max-deletes", "1");
    if (words.includes("\n")) expect(out).toMatch(/- {3}TLSEdge\/e7[^]*spec\.hostports: \[e7\.example\.com:443\]/);
    // A secret that equals what has to be shown is an error instead.
    else expect(err).toContain("edge/r.yaml:1: a secret of HTTPSEdgeRoute/r is an address, a name or a hostport");
    expect(out + err).not.toContain('["(secret)"]');
  });
});

describe("A live text repeats a secret and the API key → no output shows either", () => {
  it.each([
    ...["text", "json", "markdown", "html", "github", "gitlab"].map((format) => ["plan", "-o", format]),
    ...["text", "json", "markdown", "html", "github", "junit"].map((format) => ["drift", "-o", format]),
    ...["text", "json", "markdown"].map((format) => ["apply", "-y", "-o", format, "--journal", "journal"]),
    ["plan", "--out", "saved"],
    ["list", "-o", "json"],
    ["export", "--all"],
    ["pull", "-y"],
  ])("%s %s %s", async (...args) => {
    const on = await echoing();
    const { err, exit, out } = await on.run(...args, "-v");
    expect([0, 2], err).toContain(exit);
    const files = await Promise.all(["saved", "journal"].map((file) => on.read(file).catch(() => "")));
    const shown = [out, err, ...files].join("\n");
    if (args[0] !== "list" && args[0] !== "export") expectNone(shown, secret);
    expectNone(shown, apiKey, "live-token-of-e");
  });
});

describe("A live text that lifecycle.ignore keeps repeats a secret, and is sent again → no plan shows it, and it is sent", () => {
  const restriction = `apiVersion: edgewise/v1
kind: IPRestriction
metadata: {name: r}
lifecycle: {ignore: [spec.description, spec.metadata]}
spec: {type: endpoints, enforced: false, ip_policies: [{id: ipp_1}]}
`;

  it.each([["with the secret"], ["without it, which a plan job may not have"]])("%s", async (when) => {
    const on = await stage();
    on.env["HOOK"] = secret;
    await on.write("edge/r.yaml", route("{env: HOOK}") + restriction);
    const description = `see ${secret}`;
    const metadata = JSON.stringify({ ...JSON.parse(marked("r")), note: secret });
    const live = { description, metadata, type: "agent", enforced: false, ip_policy_ids: ["ipp_1"] };
    on.behind("POST", "/ip_restrictions", live);
    if (!when.startsWith("with ")) delete on.env["HOOK"];
    const planned = await on.run("plan", "--only", "IPRestriction/r", "-o", "json", "--out", "saved");
    expect(planned.exit, planned.err + planned.out).toBe(0);
    expectNone(planned.out + planned.err + (await on.read("saved")), apiKey, ...("HOOK" in on.env ? [secret] : []));
    expect(JSON.parse(planned.out).operations[0].body.metadata).toMatch(/^\{"edgewise":\{"stack":"demo","name":"r"/u);
    on.env["HOOK"] = secret;
    const { err, exit, out } = await on.run("apply", "saved", "-y", "-o", "json");
    expect(exit, err).toBe(0);
    expectNone(out + err, secret, apiKey);
    const [made] = on.sandbox.world().lists.IPRestriction;
    expect(made).toMatchObject({ description, type: "endpoints" });
    expect(String(made?.["metadata"])).toContain(JSON.stringify(secret));
  });
});

describe("A service repeats secrets in an error → neither error, trace nor journal shows one", () => {
  const refusing = async (msg: string, run: (on: Stage, service: HostileService) => Promise<void>): Promise<void> => {
    const on = await stage();
    on.env["HOOK"] = secret;
    const service = await hostileService();
    try {
      on.env["EDGEWISE_BASE_URL"] = service.baseUrl;
      const answer = () => plainly({ status: 400, body: { error_code: "ERR_1", msg } });
      service.begin({}, { name: "400", at: () => true, answer });
      await run(on, service);
    } finally {
      await service.close();
    }
  };

  it.each(["plan", "drift", "apply"])("%s", async (command) => {
    await refusing([...spellings(secret), ...spellings(apiKey), apiKey.slice(0, -1)].join(" "), async (on) => {
      await on.write("edge/r.yaml", route("{env: HOOK}"));
      const { err, exit, out } = await on.run(
        command,
        ...(command === "apply" ? ["-y", "--journal", "journal"] : []),
        "-v",
      );
      expect(exit).toBe(1);
      expect(err).toContain("ERR_1");
      expect(err).toContain("(secret)");
      expectNone(out + err + (await on.read("journal").catch(() => "")), secret, apiKey);
    });
  });

  it("shows 300 characters of the message at most", async () => {
    await refusing("x".repeat(2000), async (on) => {
      await on.write("edge/r.yaml", route("{env: HOOK}"));
      const { err } = await on.run("plan");
      expect(err).toContain(`${"x".repeat(300)}…`);
      expect(err).not.toContain("x".repeat(301));
    });
  });
});

describe("A secret that could not be kept out of outputs → an error at its place", () => {
  it.each([
    ["it has fewer than 8 characters", "short77", "secret-unfit"],
    ["it is the name of a manifest", "backend-of-b", "secret-unfit"],
    ["it is an address", "HTTPResponseBackend/backend-of-b", "secret-unfit"],
    ["it is a hostport", "e.example.com:443", "secret-unfit"],
  ])("%s", async (_name, text, code) => {
    const on = await stage();
    on.env["HOOK"] = text;
    await on.write("edge/r.yaml", route("{env: HOOK}") + backend("backend-of-b") + edge("e", "e.example.com:443"));
    for (const command of ["validate", "plan", "apply"]) {
      const { err, exit, out } = await on.run(command, ...(command === "apply" ? ["-y"] : []));
      expect(exit).toBe(1);
      expect(out + err).toMatch(new RegExp(`edge/r\\.yaml:4:\\d+.*\\[${code}\\]`, "u"));
    }
    expect(on.writes()).toBe(0);
  });

  it("Git tracks its file, unless --allow-inline-secrets accepts that", async () => {
    const on = await stage();
    await on.write("hook.txt", "a-secret-that-is-committed");
    await on.write("edge/r.yaml", route("{file: ../hook.txt}"));
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: on.dir, stdio: "ignore" });
    git("init", "-q");
    expect((await on.run("validate")).out).not.toContain("inline-secret");
    git("add", "hook.txt");
    for (const command of ["validate", "plan", "apply"]) {
      const { err, exit, out } = await on.run(command, ...(command === "apply" ? ["-y"] : []));
      expect(exit).toBe(1);
      expect(out + err).toMatch(/edge\/r\.yaml:4:\d+.*\[inline-secret\]/u);
    }
    expect((await on.run("validate", "--allow-inline-secrets")).exit).toBe(0);
  });
});
