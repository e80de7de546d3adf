import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edge, stage, type Stage } from "../../commands/stage.ts";
import { git } from "../support/proposal.ts";

const live = "live-secret-Zq81kLmN04";

const policy = (leaf: string): string =>
  `, traffic_policy: {value: {on_tcp_connect: [{actions: [{type: custom-response, config: ${leaf}}]}]}}`;

const route = (value: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: r, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, traffic_policy: {value: ${value}}}
`;

/** A policy that takes a secret under a name that doesn't tell was applied and merged; a branch changes it. */
async function merged(manifest: string): Promise<Stage> {
  const on = await stage();
  git(on.dir, "init", "-q", "-b", "main");
  on.env["WSEC"] = live;
  await on.write("edge/w.yaml", manifest);
  await on.write("edge/other.yaml", edge("other", "other.example.com:443"));
  expect((await on.run("apply", "-y")).exit).toBe(0);
  git(on.dir, "add", "-A");
  git(on.dir, "commit", "-q", "-m", "merged");
  git(on.dir, "checkout", "-q", "-b", "branch");
  // A plan job has no secrets.
  delete on.env["WSEC"];
  return on;
}

const before = edge("w", "w.example.com:443", policy("{body: {env: WSEC}}"));

describe("A pull request takes the source of a secret out of a policy → plan --base shows nothing of what is live there", () => {
  const proposals: readonly (readonly [string, (on: Stage) => Promise<void>])[] = [
    ["another text", (on) => on.write("edge/w.yaml", before.replace("{env: WSEC}", "x"))],
    ["another name", (on) => on.write("edge/w.yaml", before.replace("body:", "boddy:"))],
    ["no manifest", (on) => rm(join(on.dir, "edge/w.yaml"))],
    ["no policy", (on) => on.write("edge/w.yaml", edge("w", "w.example.com:443"))],
    [
      "a policy that is a text",
      (on) =>
        on.write("edge/w.yaml", edge("w", "w.example.com:443", `, traffic_policy: {value: '{"on_tcp_connect":[]}'}`)),
    ],
    ["another rule", (on) => on.write("edge/w.yaml", before.replace("custom-response", "log"))],
  ];
  it.each(proposals)("%s", async (_what, propose) => {
    const on = await merged(before);
    await propose(on);
    for (const format of ["text", "markdown", "html", "json", "github", "gitlab"]) {
      const { exit, out, err } = await on.run("plan", "--base", "main", "-o", format, "--out", "plan.json", "-v");
      expect(exit, err).toBe(0);
      for (const text of [out, err, await on.read("plan.json")]) {
        expect(text).not.toContain(live);
        expect(text).not.toContain(live.slice(4, 14));
      }
    }
    expect((await on.run("plan", "--base", "main", "--detailed-exitcode")).exit).toBe(2);
  });

  it("of a route, which has no marker", async () => {
    const value = (body: string): string =>
      `{on_http_request: [{actions: [{type: custom-response, config: {body: ${body}}}]}]}`;
    const on = await merged(route(value("{env: WSEC}")));
    await on.write("edge/w.yaml", route(value("other")));
    const { out } = await on.run("plan", "--base", "main");
    expect(out).toContain("HTTPSEdgeRoute/r");
    expect(out).not.toContain(live);
  });
});

it("validate warns of a source under a name that does not show that it is a secret", async () => {
  const on = await stage();
  on.env["WSEC"] = live;
  await on.write("edge/w.yaml", before);
  expect((await on.run("validate")).out).toMatch(
    /edge\/w\.yaml:\d+:\d+: warning .*config\.body .*\[policy-secret-name\]/u,
  );
  await on.write("edge/w.yaml", before.replace("body:", "client_secret:"));
  expect((await on.run("validate")).out).not.toContain("policy-secret-name");
});
