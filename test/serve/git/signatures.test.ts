import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SourceRecord } from "../../../src/serve/records.ts";
import type { SimulatedClock } from "../support/simulated-clock.ts";
import { Stage, backend, minute } from "../support/stage.ts";
import { type GitWorld, git, gitWorld, never } from "./support/git-world.ts";

let keys: GitWorld;
let world: GitWorld;
let repository: string;
let signers: string;
beforeAll(() => {
  keys = gitWorld();
  for (const name of ["ann", "eve"]) key(name);
});
afterAll(() => keys.end());
beforeEach(() => {
  world = gitWorld();
  repository = world.repository();
  signers = world.file("allowed_signers", `ann@example.com ${publicKey("ann")}`);
});
afterEach(() => world.end());

function key(name: string): void {
  const path = join(keys.top, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], { stdio: "ignore" });
}
const publicKey = (name: string) => readFileSync(join(keys.top, `${name}.pub`), "utf8");

function signed(name: string, path: string, text = path): string {
  git(repository, "config", "gpg.format", "ssh");
  git(repository, "config", "user.signingKey", join(keys.top, name));
  return world.commit(repository, path, text, "-S");
}

function signedAt(date: string, path: string): string {
  process.env["GIT_COMMITTER_DATE"] = date;
  try {
    return signed("ann", path);
  } finally {
    delete process.env["GIT_COMMITTER_DATE"];
  }
}

const unsigned = (path: string, text = path) => world.commit(repository, path, text, "--no-gpg-sign");

const source = (more = {}) => world.source(repository, { signedBy: signers, ...more });
const fetch = (before: SourceRecord | null = null, more = {}) => world.reader().fetch(source(more), before, never);

function rewritten(commit: string, change: (text: string) => string): string {
  const text = execFileSync("git", ["cat-file", "commit", commit], { cwd: repository, encoding: "latin1" });
  const changed = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: repository,
    input: Buffer.from(change(text), "latin1"),
    encoding: "utf8",
  }).trim();
  git(repository, "update-ref", "refs/heads/main", changed);
  return changed;
}

function inNoTime<T extends object>(clock: SimulatedClock, thing: T): T {
  return new Proxy(thing, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        const done: unknown = Reflect.apply(member, target, args);
        if (!(done instanceof Promise)) return done;
        const held = clock.held(() => done as Promise<object>);
        return name === "open" || name === "tree" ? held.then((opened) => inNoTime(clock, opened)) : held;
      };
    },
  });
}

describe("a source with allowed signers", () => {
  it("does not follow a tip that is unsigned, tampered with, or signed with the signature of another commit", async () => {
    const good = signed("ann", "a");
    const before = await fetch();
    expect(before).toMatchObject({ followed: good, problem: null });
    const cat = execFileSync("git", ["cat-file", "commit", good], { cwd: repository, encoding: "latin1" });
    const [signature = ""] = /gpgsig [\s\S]*?-----END SSH SIGNATURE-----\n/.exec(cat) ?? [];
    for (const make of [
      () => unsigned("b"),
      () => rewritten(signed("ann", "b"), (text) => text.replace(/\nb\n$/, "\nc\n")),
      () => rewritten(unsigned("c"), (text) => text.replace(/(committer .*\n)/, `$1${signature}`)),
    ]) {
      const tip = make();
      const record = await fetch(before);
      expect(record).toMatchObject({ followed: good, tip, problem: { code: "unsigned" } });
      expect(record.problem?.message).toContain(signers);
      git(repository, "reset", "-q", "--hard", good);
    }
  });

  it("takes no signature of another sort, and runs no program for it", async () => {
    const programs = join(world.top, "programs");
    mkdirSync(programs);
    for (const name of ["gpg", "gpgsm", "false-gpg"]) {
      writeFileSync(
        join(programs, name),
        `#!/bin/sh\ntouch ${join(world.top, "sprung")}\necho '[GNUPG:] GOODSIG 1 x'\n`,
      );
      chmodSync(join(programs, name), 0o755);
    }
    const plain = unsigned("b");
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    rewritten(plain, (text) => text.replace(/(committer .*\n)/, `$1${signature}`));
    git(repository, "config", "gpg.program", join(programs, "false-gpg"));
    const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` };
    const reader = world.reader({ host: { env } });
    const record = await reader.fetch(source(), null, never);
    expect(record).toMatchObject({ followed: null, problem: { code: "unsigned" } });
    expect(() => readFileSync(join(world.top, "sprung"))).toThrow("ENOENT");
  });

  it("honours when a key was valid, by the time of the commit", async () => {
    writeFileSync(signers, `ann@example.com valid-after="20230101",valid-before="20240101" ${publicKey("ann")}`);
    const within = signedAt("2023-06-01T00:00:00Z", "a");
    const before = await fetch();
    expect(before).toMatchObject({ followed: within, problem: null });
    for (const date of ["2024-06-01T00:00:00Z", "2022-06-01T00:00:00Z"]) {
      signedAt(date, date);
      expect(await fetch(before)).toMatchObject({ followed: within, problem: { code: "unsigned" } });
    }
  });

  it("asks the same of a pin", async () => {
    const pin = unsigned("b");
    const tip = signed("ann", "c");
    const record = await fetch(null, { pin });
    expect(record).toMatchObject({ followed: null, tip, problem: { code: "unsigned" } });
  });

  it("follows nothing when the signers can't be read", async () => {
    signed("ann", "a");
    const record = await fetch(null, { signedBy: join(world.top, "none") });
    expect(record).toMatchObject({ followed: null, problem: { code: "unusable" } });
    writeFileSync(signers, "");
    expect(await fetch()).toMatchObject({ followed: null, problem: { code: "unsigned" } });
  });
});

describe("what nobody has signed", () => {
  const tenants = (before: SourceRecord | null = null, more = {}) =>
    world.reader().fetch(source(more), before, never, ["tenants/*/edgewise.yaml"]);

  it("is followed first, or by the operator's word, when the last change of each stack is signed, not of one alone", async () => {
    unsigned("tenants/evil/edgewise.yaml");
    const tip = signed("ann", "tenants/shop/edgewise.yaml");
    expect(await tenants()).toMatchObject({ followed: null, tip, problem: { code: "unsigned" } });
    expect(await tenants(null, { pin: tip })).toMatchObject({ followed: null, problem: { code: "unsigned" } });
    const next = signed("ann", "tenants/evil/a");
    const before = await tenants(null);
    expect(before).toMatchObject({ followed: next, problem: null });
    git(repository, "reset", "-q", "--hard", tip);
    expect(await tenants(before, { accept: [tip] })).toMatchObject({ followed: next, problem: { code: "unsigned" } });
  });

  it("is not followed first in a commit without parents, and no name of a file stands for a commit", async () => {
    const good = signed("ann", "tenants/shop/edgewise.yaml");
    unsigned(`tenants/${good}`);
    unsigned("tenants/shop/a");
    expect(await tenants()).toMatchObject({ followed: null, problem: { code: "unsigned" } });
    git(repository, "reset", "-q", "--hard", git(repository, "commit-tree", "-m", "root", `${good}^{tree}`));
    signed("ann", "docs/x");
    expect(await tenants()).toMatchObject({ followed: null, problem: { code: "unsigned" } });
  });

  it("is not followed first where a configuration is a link to it", async () => {
    unsigned("shared/edgewise.yaml");
    mkdirSync(join(repository, "tenants/shop"), { recursive: true });
    symlinkSync("../../shared/edgewise.yaml", join(repository, "tenants/shop/edgewise.yaml"));
    signed("ann", "docs/x");
    expect(await tenants()).toMatchObject({ followed: null, problem: { code: "unsigned" } });
  });

  it("is never looked at for a source that asks for signatures only now, after a start or without one, until somebody signs it", async () => {
    const stage = new Stage();
    const reader = inNoTime(stage.clock, world.reader());
    const write = (signedBy: string | null): void => {
      const edge = { git: repository, ...(signedBy === null ? {} : { signedBy: join(world.top, signedBy) }) };
      const entry = (name: string) => ({ source: "edge", account: "main", config: `${name}/edgewise.yaml` });
      Object.assign(stage.file, {
        sources: { edge },
        defaults: { interval: "1m" },
        stacks: { evil: entry("evil"), shop: entry("shop") },
      });
    };
    const stackOf = (name: string): string =>
      `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [m.yaml]\n`;
    for (const [by, name] of [
      ["eve", "evil"],
      ["ann", "shop"],
    ] as const) {
      mkdirSync(join(repository, name));
      world.file(`repository/${name}/m.yaml`, backend(name, name));
      signed(by, `${name}/edgewise.yaml`, stackOf(name));
    }
    write(null);
    await stage.start({ reader });
    await stage.run(2 * minute);
    expect(stage.live()).toEqual(["evil", "shop"]);

    write("allowed_signers");
    await stage.reload();
    for (const start of [false, true]) {
      stage.looked();
      if (start) await stage.restart();
      if (start) await stage.start({ reader });
      await stage.run(2 * minute);
      expect(stage.looked()).not.toContain("evil");
      const { message, state } = await stage.status("evil");
      expect(state).toBe("failed");
      expect(message).toMatch(/who signed what it is made from .* is signed with a key that is not in/);
    }
    signed("ann", "evil/edgewise.yaml.sig");
    await stage.run(2 * minute);
    expect(await stage.states("shop", "evil")).toEqual(["synced", "synced"]);
  });
});

describe("several commits at once", () => {
  const stack = (before: SourceRecord | null) => world.reader().fetch(source(), before, never, ["shop/edgewise.yaml"]);
  const merge = (tree: string, parents: readonly string[], ...more: readonly string[]): string => {
    const args = parents.flatMap((parent) => ["-p", parent]);
    const made = git(repository, "commit-tree", ...more, ...args, "-m", "merge", `${tree}^{tree}`);
    git(repository, "reset", "-q", "--hard", made);
    return made;
  };
  async function followed() {
    const oldest = signed("ann", "shop/old");
    const first = signed("ann", "shop/a");
    const before = await stack(null);
    expect(before).toMatchObject({ followed: first, problem: null });
    return { before, first, oldest };
  }

  it.each<[string, (at: { readonly first: string; readonly oldest: string }) => void]>([
    [
      "below a signed tip that touches something else",
      () => {
        unsigned("shop/evil");
        signed("ann", "docs/x");
      },
    ],
    [
      "merged without a signature",
      ({ first }) => {
        git(repository, "checkout", "-qb", "side");
        const side = signed("ann", "shop/side");
        git(repository, "checkout", "-q", "main");
        merge(side, [first, side]);
        signed("ann", "docs/x");
      },
    ],
    [
      "the second parent of a merge onto what was there before",
      ({ oldest }) => {
        const evil = unsigned("shop/evil");
        merge(evil, [oldest, evil]);
        signed("ann", "docs/x");
      },
    ],

    [
      "elsewhere, where a link of the stack leads",
      () => {
        unsigned("shared/evil");
        symlinkSync("../shared", join(repository, "shop/link"));
        signed("ann", "docs/x");
      },
    ],
  ])("are not followed when an unsigned one changes a stack: %s", async (_, make) => {
    const { before, ...at } = await followed();
    make(at);
    const record = await stack(before);
    expect(record).toMatchObject({ followed: at.first, problem: { code: "unsigned" } });
    expect(record.problem?.message).toMatch(
      /is not signed by anyone in .* -S" [0-9a-f]{40}\) and push, or have the operator/,
    );
  });

  it("are not followed when an unsigned merge brings an older state back, even before anything was followed", async () => {
    const { before, first, oldest } = await followed();
    merge(oldest, [oldest, first]);
    expect(await stack(before)).toMatchObject({ followed: first, problem: { code: "unsigned" } });
    expect(await stack(null)).toMatchObject({ followed: null, problem: { code: "unsigned" } });
  });

  it("are followed when unsigned ones touch no stack, or come with a signed merge; and again once they are signed", async () => {
    const { before } = await followed();
    const docs = unsigned("docs/x");
    const second = await stack(before);
    expect(second).toMatchObject({ followed: docs, problem: null });
    const side = unsigned("shop/side");
    git(repository, "reset", "-q", "--hard", docs);
    const merged = merge(side, [docs, side], `-S${join(keys.top, "ann")}`);
    const third = await stack(second);
    expect(third).toMatchObject({ followed: merged, problem: null });
    unsigned("shop/b");
    expect(await stack(third)).toMatchObject({ followed: merged, problem: { code: "unsigned" } });
    git(repository, "rebase", "-q", "--exec", "git commit -q --amend --no-edit -S", merged);
    expect((await stack(third)).problem).toBeNull();
  });
});
