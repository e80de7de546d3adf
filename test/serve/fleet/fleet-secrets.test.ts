import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitAddress } from "../../../src/serve/fleet/git-address.ts";
import { isLocal, parseListen } from "../../../src/serve/fleet/listen-address.ts";
import { loadFleet } from "../../../src/serve/fleet/load-fleet.ts";
import { readAccountKey, readSecretSource } from "../../../src/serve/fleet/read-secret-source.ts";
import { secretFilesOf, secretsStamp, stackSecrets } from "../../../src/serve/fleet/stack-secrets.ts";
import { folder } from "../../config/folder.ts";
import { accountWith, entryWith, targetOf } from "./fleet-data.ts";
import { fleetFolder, head } from "./fleet-folder.ts";

describe("the example", () => {
  it("is valid, with files in place of its secrets", async () => {
    const example = await readFile(new URL("../../../examples/serve/fleet.yaml", import.meta.url), "utf8");
    const secrets = { "s/git-token": "t", "s/hook": "h", "s/main": "k", "s/hook-url": "https://hooks.example.com/x" };
    const cwd = await folder({ ...secrets, allowed_signers: "a ssh-ed25519 A\n", approvers: "a ssh-ed25519 A\n" });
    await writeFile(join(cwd, "fleet.yaml"), example.replaceAll("/run/credentials/edgewise.service", "s"));
    const fleet = await loadFleet({ file: "fleet.yaml", cwd, env: {} });
    expect(fleet.entries.map(({ name }) => name)).toEqual(["prod", "tenants"]);
    expect(secretFilesOf(fleet).map((file) => file.slice(cwd.length))).toEqual([
      "/s/main",
      "/s/git-token",
      "/s/hook",
      "/s/hook-url",
    ]);
  });
});

describe("secrets of the fleet", () => {
  it("are read anew, so that a key can be rotated", async () => {
    const cwd = await fleetFolder(`${head}stacks: {}\n`);
    const account = accountWith({ key: { file: join(cwd, "key") } });
    expect((await readAccountKey(account, { env: {} })).reveal()).toBe("the-key-of-the-account");
    await writeFile(join(cwd, "key"), "another-key\n");
    expect((await readAccountKey(account, { env: {} })).reveal()).toBe("another-key");
    await writeFile(join(cwd, "key"), "two\nlines\n");
    const error: unknown = await readAccountKey(account, { env: {} }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("is more than one line");
    expect(String(error)).not.toContain("lines\n");
  });

  it("come from the environment only by name", async () => {
    const env = { HOOK: " s ", EDGEWISE_API_KEY: "key" };
    expect((await readSecretSource({ env: "HOOK" }, "the hook", { env })).reveal()).toBe("s");
    await expect(readSecretSource({ env: "toString" }, "the hook", { env })).rejects.toThrow("toString is not set");
  });

  it("are never those of a stack, even in its directory", async () => {
    const secrets = await folder({ main: "the-key", other: "fine" });
    const target = targetOf(entryWith({ secrets }));
    const store = stackSecrets(target, [join(secrets, "main")]);
    expect(store.read("file", "main")).toMatchObject({
      available: false,
      reason: expect.stringContaining("of the operator"),
    });
    expect(store.read("file", "other")).toEqual({ available: true, text: "fine" });
  });

  it("show that they changed by a stamp that holds none of them", async () => {
    const directory = await folder({ a: "secret-text" });
    const before = secretsStamp(directory);
    expect(secretsStamp(directory)).toBe(before);
    expect(before).not.toContain("secret-text");
    await writeFile(join(directory, "a"), "longer-secret-text");
    expect(secretsStamp(directory)).not.toBe(before);
    expect(secretsStamp(null)).toBe("");
  });
});

describe("gitAddress", () => {
  it.each(["https://h/a.git", "ssh://git@h/a.git", "git@h:a.git", "http://127.0.0.1:1/a"])("takes %s", (text) => {
    expect(gitAddress(text, "/x")).toEqual({ git: text });
  });

  it("makes paths absolute", () => {
    expect(gitAddress("../edge", "/x/y")).toEqual({ git: "/x/edge" });
    expect(gitAddress("/a", "/x")).toEqual({ git: "/a" });
    expect(gitAddress("-a", "/x")).toEqual({ git: "/x/-a" });
  });

  it.each([
    "ext::sh",

    "https://t@h/a",

    "ssh://-oProxyCommand=x/a",

    "u:p@h:a",

    "https://",
  ])("refuses %s", (text) => {
    expect(gitAddress(text, "/x")).toHaveProperty("problem");
  });
});

describe("parseListen", () => {
  it("reads hosts and ports, and knows this machine", () => {
    expect(parseListen("127.0.0.1:7070")).toEqual({ host: "127.0.0.1", port: 7070 });
    expect(parseListen("[::1]:0")).toEqual({ host: "::1", port: 0 });
    for (const text of ["7070", ":7070", "a:70000", "a:", "::1:1"]) expect(parseListen(text)).toBeNull();
    const local = (text: string) => isLocal(parseListen(text) ?? { host: "", port: 0 });
    expect(["127.0.0.1:1", "localhost:1", "[::1]:1"].map(local)).toEqual([true, true, true]);
    expect(["0.0.0.0:1", "[::]:1", "127.0.0.1.example.com:1"].map(local)).toEqual([false, false, false]);
  });
});
