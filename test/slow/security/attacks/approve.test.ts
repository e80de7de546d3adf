import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Change, FieldChange, Plan } from "../../../../src/plan/plan-format.ts";
import { effectDigest, effectsOf } from "../../../../src/serve/decide/effect-digest.ts";
import { json, startServer } from "../../../api/support/server.ts";
import type { Ended } from "../../../support/cli.ts";
import { git, proposal, writeCanary, type Proposal } from "../support/proposal.ts";

const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const path = process.env["PATH"] ?? "";
const nonce = "0".repeat(64);

interface Waiting {
  readonly p: Proposal;
  readonly digest: string;
  approve(
    options?: { readonly cwd?: string; readonly env?: { readonly [name: string]: string } },
    ...flags: readonly string[]
  ): Promise<Ended>;
  expectApproved(ended: Ended): void;
}

async function waiting(
  changed: (plan: Plan) => unknown = (plan) => plan,
  planned: (plan: Plan) => Plan = (plan) => plan,
): Promise<Waiting> {
  const p = await proposal();
  const remote = join(p.outside, "edge.git");
  git(p.outside, "init", "-q", "--bare", remote);
  p.git("remote", "add", "origin", remote);
  const key = join(p.outside, "ann");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  for (const [name, value] of [
    ["user.name", "Ann"],
    ["user.email", "ann@example.com"],
    ["user.signingKey", key],
  ] as const)
    p.git("config", name, value);
  const plan = planned(JSON.parse((await p.run(["plan", "-o", "json"])).out) as Plan);
  const sides = plan.changes.map(({ address }) => ({ address, desired: "d", lost: null, secrets: [] }));
  const approval = { nonce, baseUrl: plan.baseUrl, marker: plan.stack, sides };
  const effects = effectsOf(plan, sides);
  const digest = effectDigest({ nonce, baseUrl: plan.baseUrl, marker: plan.stack, account: "main", effects });
  const server = await startServer(({ url }, response) => {
    if (url === "/api/stacks/prod/plan") return json(response, 200, changed(plan));
    json(response, 200, { account: "main", approval, digest, message: "", state: "waiting" });
  });
  onTestFinished(() => server.close());
  return {
    p,
    digest,
    approve: ({ cwd = p.infra, env = {} } = {}, ...flags) =>
      p.run(["approve", "prod", "--server", server.baseUrl, "-y", ...flags], { cwd, env: { HOME: p.outside, ...env } }),
    expectApproved({ exit, err }) {
      expect({ exit, err }).toMatchObject({ exit: 0 });
      const tag = `refs/tags/edgewise/approve/prod/${digest}/ann@example.com`;
      expect(git(remote, "cat-file", "tag", tag)).toContain("-----BEGIN SSH SIGNATURE-----");
    },
  };
}

describe("Somebody approves in a clone with a pull request checked out, which names programs → git runs none of them", () => {
  it("a bare repository beside the configuration, with an ssh command", async () => {
    const { p, approve, expectApproved } = await waiting();
    for (const part of ["objects", "refs"]) await mkdir(join(p.infra, part), { recursive: true });
    await writeFile(join(p.infra, "HEAD"), "ref: refs/heads/main\n");
    const remote = `[remote "origin"]\n\turl = ssh://127.0.0.1/x\n[core]\n\tbare = true\n\tsshCommand = ${p.canary}\n`;
    await writeFile(join(p.infra, "config"), `[user]\n\tname = x\n\temail = ann@example.com\n${remote}`);
    const ended = await approve();
    expect(await p.canaryRan()).toBeNull();
    expectApproved(ended);
  });

  it("ssh-keygen in node_modules/.bin, which npm puts first on the PATH", async () => {
    const { p, approve, expectApproved } = await waiting();
    await writeCanary(join(p.top, "node_modules", ".bin", "ssh-keygen"), join(p.outside, "ran"));
    const ended = await approve({ env: { PATH: `${p.top}/node_modules/.bin:${path}` } });
    expect(await p.canaryRan()).toBeNull();
    expectApproved(ended);
  });

  it("a hook in a committed directory", async () => {
    const { p, approve, expectApproved } = await waiting();
    p.git("config", "core.hooksPath", ".hooks");
    for (const directory of [p.top, p.infra])
      await writeCanary(join(directory, ".hooks", "pre-push"), join(p.outside, "ran"));
    const ended = await approve();
    expect(await p.canaryRan()).toBeNull();
    expectApproved(ended);
  });
});

describe("The environment of somebody who approves holds the API key → git doesn't get it", () => {
  it("nor any other variable of edgewise", async () => {
    const { p, approve, expectApproved } = await waiting();
    const notes = join(p.outside, "notes");
    await mkdir(join(p.outside, "bin"));
    await writeFile(join(p.outside, "bin", "git"), `#!/bin/sh\nenv >> '${notes}'\nexec '${realGit}' "$@"\n`);
    await chmod(join(p.outside, "bin", "git"), 0o755);
    expectApproved(await approve({ env: { PATH: `${p.outside}/bin:${path}`, SSH_AUTH_SOCK: "/its/own" } }));
    const seen = await readFile(notes, "utf8");
    expect(seen).toContain("SSH_AUTH_SOCK=/its/own");
    expect(seen).not.toContain("EDGEWISE_");
    expect(seen).not.toContain("key-of-the-stage");
  });
});

describe("The server that somebody asks what waits lies → nothing is approved", () => {
  it.each<readonly [string, (plan: Plan) => unknown]>([
    ["a plan that does something else", (plan) => ({ ...plan, changes: plan.changes.slice(1) })],
    ["a commit that is an option of git", (plan) => ({ ...plan, commit: "--upload-pack=touch ran" })],
    ["a plan nested deeper than any", () => JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`)],
  ])("%s", async (_, changed) => {
    const { p, approve } = await waiting(changed);
    const { exit, err } = await approve();
    expect(exit, err).toBe(1);
    expect(err).not.toContain("bug in edgewise");
    expect(p.git("tag")).toBe("");
    expect(git(join(p.outside, "edge.git"), "tag")).toBe("");
  });
});

describe("Somebody between approver and server says that a grave change is harmless → what it does is judged from its fields", () => {
  it.each<readonly [Change["address"], Change["action"], Pick<FieldChange, "path" | "before" | "after">, string]>([
    [
      "TLSEdge/api",
      "update",
      { path: "spec.mutual_tls", before: { enabled: true, certificate_authorities: [{ id: "ca_1" }] }, after: null },
      "mutual TLS no longer guards this edge",
    ],
    ["ReservedAddress/db", "delete", { path: "spec.region", before: "eu", after: null }, "IRREVERSIBLE"],
  ])("%s: %s %j", async (address, action, field, judged) => {
    const lie = { impact: "none", reason: "words of a liar" } as const;
    const said = { source: null, origin: null, notes: ["all is well"], ...lie };
    const change: Change = { address, action, id: "edgtls_1", fields: [{ ...field, ...lie }], ...said };
    const { approve } = await waiting(
      (plan) => ({ ...plan, warnings: [{ code: "not-pruned", message: "words of a liar" }] }),
      (plan) => ({ ...plan, changes: [change] }),
    );
    const { exit, err, out } = await approve();
    expect(exit, err).toBe(0);
    expect(out.replaceAll(/\s+#?\s*/g, " ")).toContain(judged);
    expect(out).toMatch(/^(?:SECURITY|IRREVERSIBLE) /);
    expect(out).toContain("the server says: all is well");
    expect(out).not.toMatch(/no effect on traffic|no change to traffic|liar/);
  });
});

describe("The server that somebody asks what waits answers with its token, or with text for a terminal → neither is shown", () => {
  it("in a note", async () => {
    const token = "t0ken-135791113-Wq8Zr";
    const notes = [`Bearer ${token}`, "\u001B]0;owned\u0007\u001B[2J\u202Eno\r\nApproved"];
    const { p, approve } = await waiting((plan) => ({
      ...plan,
      changes: plan.changes.map((change) => ({ ...change, notes })),
    }));
    await writeFile(join(p.outside, "token"), token, { mode: 0o600 });
    const { exit, out, err } = await approve({}, "--token-file", join(p.outside, "token"));
    expect(exit).toBe(0);
    expect(out).toMatch(/Bearer[^]*owned/u);
    expect(out + err).not.toContain(token);
    // eslint-disable-next-line no-control-regex
    expect(out + err).not.toMatch(/[\u001B\u0007\u202E\r]/u);
  });
});
