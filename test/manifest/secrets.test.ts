import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import type { LoadOptions } from "../../src/manifest/load-run.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { valueAt } from "../../src/core/document-path.ts";
import { renderDiagnosticsText } from "../../src/report/diagnostics-report.ts";
import { Secret } from "../../src/core/secret.ts";
import { type Files, load, memoryTree, optionsFor, withFiles } from "./support/load-text.ts";
import { runs } from "../support/runs.ts";

const hooks = (secret: string) => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification:
    provider: GITHUB
    secret: ${secret}
`;

function secretOf(manifest: Manifest | undefined): Secret {
  const value = valueAt(manifest?.spec, ["webhook_verification", "secret"]);
  if (!(value instanceof Secret)) throw new Error("no secret");
  return value;
}

async function first(files: Files, options: Partial<LoadOptions>): Promise<Secret> {
  const { manifests, diagnostics } = await load(files, { deep: true, ...options });
  expect(diagnostics).toEqual([]);
  return secretOf(manifests[0]);
}

describe("secrets", () => {
  it("come from the environment", async () => {
    const secret = await first({ "a.yaml": hooks("{env: HOOK}") }, { env: { HOOK: "s3cret-value" } });
    expect(secret.reveal()).toBe("s3cret-value");
    expect(inspect(secret)).not.toContain("s3cret");
  });

  it("come from files, one newline at the end taken off, even with a dot or outside of the root", async () => {
    const files = { "root/a.yaml": hooks("{file: ../.keys/hook}"), ".keys/hook": "s3cret-value\n\n" };
    await withFiles(files, async (above) => {
      const { manifests, diagnostics } = await loadManifests(optionsFor(join(above, "root")));
      expect(diagnostics).toEqual([]);
      expect(secretOf(manifests[0]).reveal()).toBe("s3cret-value\n");
    });
  });

  it("may be inline when that is allowed", async () => {
    const secret = await first({ "a.yaml": hooks("s3cret-value") }, { allowInlineSecrets: true });
    expect(secret.reveal()).toBe("s3cret-value");
  });

  it("that can't be had are warnings of a deep check, with the reason", async () => {
    const messages = async (secret: string, files: Files = {}) =>
      (await load({ "a.yaml": hooks(secret), ...files }, { env: { EMPTY: "" } })).diagnostics.map(
        ({ severity, message }) => `${severity}: ${message}`,
      );
    expect(await messages("{env: HOOK}")).toEqual(["warning: the environment variable HOOK is not set"]);
    expect(await messages("{env: EMPTY}")).toEqual(["warning: the environment variable EMPTY is empty"]);
    expect(await messages("{file: gone}")).toEqual(['warning: "gone": there is no such file']);
    expect(await messages("{file: .}")).toEqual(['warning: ".": it is a directory']);
    expect(await messages("{file: big}", { big: Buffer.alloc(300_000) })).toEqual([
      expect.stringContaining("more than"),
    ]);
    expect(await messages("{file: bytes}", { bytes: Buffer.from([0xff, 0xfe]) })).toEqual([
      expect.stringContaining("UTF-8"),
    ]);
    expect(await messages("{file: /proc/self/environ}")).toEqual([expect.stringContaining("not a regular file")]);
  });
});

describe("the API key", () => {
  const key = "api-key-0123456789";

  it.each([["{env: EDGEWISE_API_KEY}"], ["{env: edgewise_api_key}"], ["{env: COPY}"]])(
    "is not taken from %s",
    async (secret) => {
      const { diagnostics } = await load(
        { "a.yaml": hooks(secret) },
        { env: { EDGEWISE_API_KEY: key, COPY: `x${key}` } },
      );
      expect(diagnostics.map(({ code }) => code)).toEqual(["file-is-api-key"]);
      expect(JSON.stringify(diagnostics)).not.toContain(key);
    },
  );

  it("is not taken from its file, by whichever way", async () => {
    const files = {
      "a.yaml": hooks("{file: key}"),
      "b.yaml": hooks("{file: link}").replace("hooks", "b").replace("edghtsrt_1", "edghtsrt_2"),
      "c.yaml":
        "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: c}\nspec: {status_code: 200, body: {file: link}}\n",
      key: `${key}\n`,
    };
    await withFiles(files, async (root) => {
      await symlink("key", join(root, "link"));
      const { diagnostics } = await loadManifests(optionsFor(root, { apiKeyFile: join(root, "key") }));
      expect(diagnostics.map(({ code, file }) => `${file} ${code}`)).toEqual([
        "a.yaml file-is-api-key",
        "b.yaml file-is-api-key",
        "c.yaml file-is-api-key",
      ]);
    });
  });
});

describe("what is shown", () => {
  it.each([
    ["inline", hooks("hunter2")],
    [
      "flow style",
      hooks("x").replace(/webhook_verification:[\s\S]*/, "webhook_verification: {provider: github, secret: hunter2}\n"),
    ],
    ["a bad escape", hooks('"hunter2\\q"')],
    ["a duplicate", hooks("hunter2\n    secret: hunter2")],
    ["a variable", hooks("${{ vars.s }}")],
    ["a map", hooks("{env: A, value: hunter2}")],
    [
      "a private key",
      "apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: c}\nspec:\n  certificate_pem: |\n    -----BEGIN PRIVATE KEY-----\n    hunter2\n    -----END PRIVATE KEY-----\n  private_key_pem: hunter2\n",
    ],
    [
      "a wrong place",
      "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: c, secret: hunter2}\nspec: {password: hunter2}\n",
    ],
  ])("never a secret: %s", async (_name, text) => {
    const { diagnostics } = await load({ "a.yaml": text }, { variables: { s: "hunter2" } });
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(renderDiagnosticsText(diagnostics, { color: false })).not.toContain("hunter2");
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  it("never a secret, wherever the text around it is broken", async () => {
    const texts = [
      hooks("hunter2hunter2"),
      hooks("|\n      hunter2hunter2\n      hunter2hunter2"),
      hooks('"hunter2hunter2\n      hunter2hunter2"'),
      hooks("x").replace(
        /webhook_verification:[\s\S]*/,
        "webhook_verification: {provider: github, secret: hunter2hunter2}\n",
      ),
    ];
    const bits = fc.constantFrom(..."\n|  |\t|:|- |[|]|{|}|&a |*a|!x |'|\"|#|%|@|?|,|x|${{|}}|---\n|\\".split("|"));
    // Before the secret's own name: what nobody can tell for a secret can't be hidden.
    const edit = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(5), fc.array(bits, { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), edit, async (text, [at, remove, insert]) => {
        const place = Math.floor(at * text.indexOf("secret"));
        const end = Math.min(place + remove, text.indexOf("secret"));
        const broken = text.slice(0, place) + insert.join("") + text.slice(end);
        const { diagnostics } = await loadManifests(optionsFor("/root", { tree: memoryTree({ "a.yaml": broken }) }));
        expect(renderDiagnosticsText(diagnostics, { color: false })).not.toMatch(/hunter2/);
      }),
      runs(150),
    );
  });
});
