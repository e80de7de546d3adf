import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Stage, edge, stage } from "../../../commands/stage.ts";
import { git } from "../support/proposal.ts";

const live = 'live-secret/"Zq81kLmN04';

const policy = (leaf: string): string =>
  `, traffic_policy: {value: {on_tcp_connect: [{actions: [{type: custom-response, config: ${leaf}}]}, {actions: [{type: log, config: {body: plain-text-of-main}}]}]}}`;

const before = edge("w", "w.example.com:443", policy("{body: {env: WSEC}}"));

const route = (body: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: r, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, traffic_policy: {value: {on_http_request: [{actions: [{config: {body: ${body}}}]}]}}}
`;

/** A policy that takes a secret under a name that doesn't tell was applied and merged. A plan job has no secrets. */
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
  delete on.env["WSEC"];
  return on;
}

describe("A pull request takes the source of a secret out of a policy → plan --base shows nothing of what is live there", () => {
  const ignoring = "lifecycle: {ignore: [spec.traffic_policy.value]}\nspec:";
  const proposals: readonly (readonly [string, string, string | null])[] = [
    ["another text", before, before.replace("{env: WSEC}", "x")],
    ["no manifest", before, null],
    [
      "what is live is sent again",
      before,
      edge("w", "w.example.com:443", `, traffic_policy: {enabled: false, value: "{}"}`).replace("spec:", ignoring),
    ],
    ["of a route, which has no marker", route("{env: WSEC}"), route("other")],
  ];
  it.each(proposals)("%s", async (_what, manifest, proposed) => {
    const on = await merged(manifest);
    if (proposed === null) await rm(join(on.dir, "edge/w.yaml"));
    else await on.write("edge/w.yaml", proposed);
    for (const format of ["text", "json"]) {
      const args = ["plan", "--base", "main", "-o", format, "--out", "plan.json", "--detailed-exitcode"];
      const { exit, out, err } = await on.run(...args);
      expect(exit, err).toBe(2);
      for (const text of [out, err, await on.read("plan.json")]) expect(text).not.toMatch(/live-secret|Zq81kLmN04/u);
    }
    expect(await on.read("plan.json")).toMatch(/\(secret[,)]/u);
  });

  it("and what main says in clear stays readable", async () => {
    const on = await merged(before);
    await on.write("edge/w.yaml", before.replace("{env: WSEC}", "x"));
    expect(JSON.stringify(JSON.parse((await on.run("plan", "--base", "main", "-o", "json")).out).changes)).toMatch(
      /before[^]*plain-text-of-main[^]*after[^]*plain-text-of-main/u,
    );
  });
});
