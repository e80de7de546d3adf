import { describe, expect, it } from "vitest";
import { collection, config, page, repositoryWorld } from "../support/repository-world.ts";

interface Policy {
  readonly commit: string;
  readonly drift: string;
}

async function world() {
  const made = await repositoryWorld();
  return {
    ...made,
    once: async (apply: Policy, more: object = {}, source: object = {}, ...flags: readonly string[]) => {
      const { fleet } = made;
      const members = {
        sources: { edge: { ...fleet.sources.edge, ...source } },
        stacks: { prod: { ...fleet.stacks.prod, ...more } },
        defaults: { apply, brake: { deletesPerDay: 2 } },
      };
      const { exit, err, stacks, writes } = await made.once(members, ...flags);
      const [stack] = stacks;
      if (stack === undefined) throw new Error(err);
      const state = stack.reason === null ? stack.state : `${stack.state}: ${stack.reason}`;
      return { exit, state, stack, writes };
    },
  };
}

const everything = { commit: "security", drift: "security" };

describe("serve, pass by pass", () => {
  it("neither follows nor lets anybody approve what nobody signed, and nobody their own", async () => {
    const { as, git, key, live, once, push, put } = await world();
    const people = (await key("ann")) + (await key("bob"));
    await put("people", people);
    const pass = () =>
      once({ commit: "none", drift: "never" }, { approvers: "people" }, { ref: "main", signedBy: "people" });
    const sign = (name: string) => git(...as(name), "commit", "-q", "--amend", "--no-edit", "-S", "--reset-author");
    const approve = (name: string, digest: string | null) =>
      git(...as(name), "tag", "-s", "-m", "yes", `edgewise/approve/prod/${digest}/${name}@example.com`);
    await push(page(503));
    sign("ann");
    expect(await pass()).toMatchObject({ exit: 0, state: "synced" });

    await push(page(501));
    await put("repo/README.md", "readme");
    git("add", "-A");
    git(...as("ann"), "commit", "-q", "-S", "-m", "readme");
    const held = await pass();
    expect([held.exit, held.writes]).toEqual([3, 0]);
    expect(held.stack.message).toMatch(/is not signed by anyone in .*people: sign it \(git rebase/);

    git("reset", "-q", "--hard", "HEAD~2");
    await push(page(502));
    git(...as("ann"), "commit", "-q", "--amend", "--no-edit", "--reset-author");
    git(...as("bob"), "commit", "-q", "--amend", "--no-edit", "-S");
    const { stack } = await pass();
    expect(stack).toMatchObject({ state: "waiting", reason: "approval" });
    for (const name of ["ann", "bob"]) {
      approve(name, stack.digest);
      const own = await pass();
      expect(own).toMatchObject({ state: "waiting: approval", writes: 0 });
      expect(own.stack.message).toContain("wrote or signed commit");
    }
    await put("people", people + (await key("eve")));
    approve("eve", stack.digest);
    expect(await pass()).toMatchObject({ exit: 0, state: "synced" });
    expect(live().status).toBe(502);
  });

  it("carries out what the table of origin, impact and action allows, and tells what waits", async () => {
    const { byHand, live, once, push } = await world();
    await push(page(503));
    expect(await once({ commit: "none", drift: "never" })).toMatchObject({ exit: 0, state: "synced" });
    const { id, status } = live();
    expect(status).toBe(503);
    const meddle = () => byHand("PATCH", `${collection}/${id}`, { status_code: 200 });

    for (const [origin, change, policies] of [
      ["drift", async () => meddle(), { commit: "never", drift: "routing" }],
      ["commit", async () => push(page(501)), { commit: "routing", drift: "never" }],
      [
        "both",
        async () => {
          meddle();
          await push(page(502));
        },
        { commit: "routing", drift: "routing" },
      ],
    ] as const) {
      await change();
      const held = { ...policies, ...(origin === "commit" ? { commit: "cosmetic" } : { drift: "cosmetic" }) };
      const waits = await once(held);
      expect(waits, origin).toMatchObject({ exit: 2, state: "waiting: approval", writes: 0 });
      expect(waits.stack).toMatchObject({ impact: "routing", changes: { commit: 0, drift: 0, both: 0, [origin]: 1 } });
      expect(await once(policies), origin).toMatchObject({ exit: 0, writes: 1 });
    }
    expect(live()).toEqual({ id, status: 502 });

    // What carries the stack's marker and no manifest asks for is deleted by no policy.
    const marker = JSON.stringify({ edgewise: { stack: "prod", name: "by-hand" } });
    byHand("POST", collection, { status_code: 404, metadata: marker });
    expect(await once(everything)).toMatchObject({ exit: 2, state: "waiting: approval", writes: 0 });
  });

  it("keeps what is live when a commit is wrong or refused, or the branch is rewound or gone", async () => {
    const { git, once, push } = await world();
    const backends = (count: number): string =>
      Array.from({ length: count }, (_, index) => page(503, `b${index}`)).join("");
    await push(backends(4));
    expect(await once(everything)).toMatchObject({ exit: 0, state: "synced" });
    await push("kind: Nonsense\n");
    const failed = await once(everything);
    expect(failed).toMatchObject({ exit: 3, state: "failed", writes: 0 });
    expect(failed.stack.message).toMatch(/^prod\/m\.yaml:1:7: /);
    expect(await once(everything, {}, {}, "--dry-run")).toMatchObject({ exit: 1, state: "failed" });
    await push(backends(1));
    const refused = await once(everything);
    expect(refused).toMatchObject({ exit: 4, state: "refused", writes: 0 });
    expect(refused.stack.message).toContain("brake.deletesPerDay is 2");
    await push(backends(3));
    expect(await once(everything, {}, {}, "--dry-run")).toMatchObject({ exit: 2, state: "pending", writes: 0 });
    expect(await once(everything)).toMatchObject({ exit: 0, state: "synced" });
    git("reset", "-q", "--hard", "HEAD~2");
    await push(backends(2));
    expect(await once(everything)).toMatchObject({ exit: 2, state: "waiting: rewound", writes: 0 });
    git("branch", "-m", "elsewhere");
    expect(await once(everything)).toMatchObject({ exit: 3, state: "failed", writes: 0 });
  });

  it("waits while somebody else holds the account's lock, and takes it before it writes", async () => {
    const { byHand, on, once, push } = await world();
    const locking = config({ lock: { settle: "50ms" } });
    await push(page(503), locking);
    await once(everything);
    const log = on.sandbox.requests().log.filter(({ method }) => method !== "GET");
    expect(log.map(({ method }) => method)).toEqual(["POST", "POST", "DELETE"]);
    const until = new Date(Date.now() + 600_000).toISOString();
    const lock = { lock: true, stack: "other", run: "r1", by: "ann@host", until };
    byHand("POST", collection, { status_code: 503, metadata: JSON.stringify({ edgewise: lock }) });
    await push(page(502), locking);
    const waits = await once(everything);
    expect(waits).toMatchObject({ exit: 2, state: "waiting: locked", writes: 0 });
    expect(waits.stack.message).toContain("ann@host");
  });
});

describe("a check", () => {
  it("finds stacks without a configuration, with one marker, and with what they may not ask for, and writes nothing", async () => {
    const { fleet, push, serve } = await repositoryWorld();
    await push(page(503), config(), "twin");
    await push(page(503), config({ stack: "wide", guards: { maxDeletes: "100%" } }), "wide");
    await push(page(503));
    const entries = ["prod", "twin", "wide", "typo"].map(
      (name) => [name, { ...fleet.stacks.prod, config: `${name}/edgewise.yaml` }] as const,
    );
    const { exit, out, writes } = await serve({ stacks: Object.fromEntries(entries) }, "--check", "-o", "json");
    const { problems } = JSON.parse(out) as { readonly problems: readonly { name: string; message: string }[] };
    expect([exit, writes]).toEqual([1, 0]);
    expect(problems.map(({ message, name }) => `${name}: ${message}`)).toEqual([
      expect.stringMatching(/^prod: prod claims the marker "prod" in accounts\.main, which twin /u),
      expect.stringMatching(/^twin: twin claims the marker "prod"/u),
      expect.stringMatching(/^wide: .*guards\.maxDeletes lets a plan delete more/u),
      expect.stringMatching(/^typo: there is no typo\/edgewise\.yaml in the source edge/u),
    ]);
    const { typo: _typo, twin: _twin, wide: _wide, ...well } = Object.fromEntries(entries);
    expect(await serve({ stacks: well }, "--check")).toMatchObject({ exit: 0, writes: 0 });
  });
});
