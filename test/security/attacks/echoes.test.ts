import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/commands/run.ts";
import { type Json, isObject } from "../../../src/json.ts";
import type { WorldSeed } from "../../../src/model/world-seed.ts";
import type { Seen } from "../../api/support/server.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { type HostileService, type Reply, hostileService, plainly } from "../support/hostile-service.ts";
import { cuts, partsSeen, spellings } from "../support/parts.ts";
import { pair } from "../support/rich-manifests.ts";
import { part } from "../../support/runs.ts";

// Waiting takes no time: retries are not what is tested here.
vi.mock("../../../src/api/system-clock.ts", () => {
  let now = 1_700_000_000_000;
  return {
    systemClock: {
      now: () => now,
      sleep: async (ms: number): Promise<void> => {
        now += ms;
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
  };
});

const apiKey = "ak_9fQ2zX7mK4vT8bN1cR6wL3pJ5hD0sG";
const hook = "whsec_U4yE7iO2aS9dF6gH1jK8lZ3xC5vB";
const inFile = "fs_Q1w2E3r4T5y6U7i8O9p0AaSsDdFfGg";
const digits = "9081726354453";
/** The private number of the key alone: what follows it is the public key, which the certificate shows to everybody. */
const keyBody = (pair.key.split("\n")[2] ?? "").slice(0, 26);
const secrets = [apiKey, hook, inFile, digits, keyBody];

const manifests = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: www}
spec: {certificate_pem: {file: chain.pem}, private_key_pem: {file: ../../keys/www.pem}}
---
apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: down}
spec: {status_code: 503, body: new}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: {env: HOOK}}}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: more, id: edghtsrt_2}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: SLACK, secret: {file: ../../keys/hook}}}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: digits, id: edghtsrt_3}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: STRIPE, secret: {env: DIGITS}}}
`;

const seed: WorldSeed = {
  lists: {
    HTTPResponseBackend: [
      {
        id: "bkdhr_1",
        uri: "",
        metadata: '{"edgewise":{"stack":"demo","name":"down"}}',
        status_code: 503,
        body: "old",
      },
      { id: "bkdhr_2", uri: "", metadata: '{"edgewise":{"stack":"demo","name":"gone"}}', status_code: 503, body: "x" },
      { id: "bkdhr_3", uri: "", description: "somebody's", status_code: 503, body: "x" },
    ],
  },
};

type Place = (request: Seen, right: Parameters<typeof plainly>[0], echo: string) => Reply;

const failing =
  (status: number, members: (echo: string) => Json): Place =>
  (_request, _right, echo) =>
    plainly({ status, body: members(echo) });

/** A list whose every resource is changed. */
const listing =
  (change: (item: { readonly [member: string]: unknown }, echo: string) => object): Place =>
  (request, right, echo) => {
    const { body } = right;
    if (request.method !== "GET" || !isObject(body)) return plainly(right);
    const lists = Object.entries(body).map(([name, value]): [string, Json] => [
      name,
      (Array.isArray(value) ? value.map((item: Json) => (isObject(item) ? change(item, echo) : item)) : value) as Json,
    ]);
    return plainly({ ...right, body: Object.fromEntries(lists) });
  };

/** Everywhere that a server can put a text. */
const places: { readonly [name: string]: Place } = {
  "msg of the first error": failing(400, (echo) => ({ error_code: "ERR_1", status_code: 400, msg: `no: ${echo}` })),
  "error_code and operation_id": failing(422, (echo) => ({
    error_code: echo,
    msg: "no",
    details: { operation_id: echo },
  })),
  "a page of text with a content type": (_request, _right, echo) => ({
    status: 500,
    body: `<html>${echo}</html>`,
    headers: { "content-type": `text/${encodeURIComponent(echo).slice(0, 80)}` },
  }),
  "the address of a redirect": (_request, _right, echo) => ({
    status: 302,
    body: "",
    headers: { location: `https://elsewhere.example/?q=${encodeURIComponent(echo)}` },
  }),
  "descriptions and bodies": listing((item, echo) => ({ ...item, description: echo.slice(0, 255), body: echo })),
  "metadata, as texts and numbers": listing((item, echo) => {
    const own: unknown = JSON.parse(typeof item["metadata"] === "string" ? item["metadata"] : "{}");
    return { ...item, metadata: JSON.stringify({ ...(own as object), note: echo, count: Number(digits) }) };
  }),
  ids: listing((item, echo) => ({
    ...item,
    id: `bkdhr_${echo.replaceAll(/\W/gu, "")}_${String(item["id"])}`.slice(0, 90),
  })),
  next_page_uri: (request, right, echo) =>
    request.method !== "GET" || !isObject(right.body) || request.url.includes("before_id")
      ? plainly(right)
      : plainly({ ...right, body: { ...right.body, next_page_uri: `?before_id=${encodeURIComponent(echo)}` } }),
  "the answers to writes": (request, right, echo) =>
    request.method === "GET"
      ? plainly(right)
      : plainly({ status: 400, body: { error_code: echo, msg: `cannot ${request.method}: ${echo}` } }),
};

/** Every command that speaks to the service, every format at least once. */
const commands: readonly (readonly string[])[] = [
  ["plan", "-v"],
  ["plan", "-o", "json", "--out", "out/plan"],
  ["plan", "-o", "markdown"],
  ["plan", "-o", "html", "--output-file", "out/result"],
  ["plan", "-o", "github"],
  ["plan", "-o", "gitlab", "-v", "--log-format", "json"],
  ["drift", "--unmanaged", "-v"],
  ["drift", "--unmanaged", "-o", "json"],
  ["drift", "-o", "markdown"],
  ["drift", "-o", "html"],
  ["drift", "-o", "github"],
  ["drift", "-o", "junit"],
  ["drift", "--unmanaged", "-o", "sarif"],
  ["apply", "-y", "-v", "--journal", "out/journal", "--max-deletes", "100%"],
  ["apply", "-y", "-o", "json", "--log-format", "json", "-v", "--max-deletes", "100%"],
  ["apply", "-y", "-o", "markdown", "--output-file", "out/result", "--max-deletes", "100%"],
];

/** These read no manifest: they know the API key alone. */
const withoutManifests: readonly (readonly string[])[] = [
  ["ping", "-v"],
  ["ping", "-o", "json"],
  ["export", "--all"],
  ["export", "--all", "-o", "json", "-v"],
  ["destroy", "-y", "-o", "json", "--max-deletes", "100%"],
];

let service: HostileService;
let dir = "";
let env: { readonly [name: string]: string } = {};

beforeAll(async () => {
  service = await hostileService();
  dir = await mkdtemp(join(tmpdir(), "edgewise-echoes-"));
  await write("repo/edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
  await write("repo/edge/chain.pem", pair.certificate);
  await write("repo/edge/all.yaml", manifests);
  await write("keys/www.pem", pair.key);
  await write("keys/hook", `${inFile}\n`);
  env = { EDGEWISE_API_KEY: apiKey, EDGEWISE_BASE_URL: service.baseUrl, HOOK: hook, DIGITS: digits };
});

afterAll(async () => {
  await service.close();
  await rm(dir, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function outputs(args: readonly string[]): Promise<readonly string[]> {
  const files = ["result", "plan", "journal"].map((name) => join(dir, "repo/out", name));
  for (const file of files) await rm(file, { force: true });
  const io = memoryIo({ cwd: join(dir, "repo"), env });
  const exit = await run(args, io);
  expect([0, 1, 2, 3, 4], `${args.join(" ")}\n${io.err()}`).toContain(exit);
  expect(io.err(), args.join(" ")).not.toContain("bug in edgewise");
  const written = await Promise.all(files.map(async (file) => readFile(file, "utf8").catch(() => "")));
  if (args.includes("json")) for (const text of [io.out(), written[1] ?? ""]) expectJson(text, args);
  if (args.includes("--log-format")) for (const line of io.err().split("\n")) expectJson(line, args);
  for (const line of (written[2] ?? "").split("\n")) expectJson(line, args);
  return [io.out(), io.err(), ...written];
}

function expectJson(text: string, args: readonly string[]): void {
  if (text.trim() === "" || !/^[[{]/u.test(text)) return;
  expect(() => JSON.parse(text) as unknown, `${args.join(" ")}: ${text}`).not.toThrow();
}

const variants = Object.keys(places)
  .flatMap((place) =>
    Object.keys(cuts).flatMap((cut, index) => {
      // Each cut in two spellings, so that every cut and every spelling is tried in every place.
      const names = Object.keys(spellings);
      return [names[0] ?? "", names[1 + (index % (names.length - 1))] ?? ""].map(
        (spelling) => [cut, place, spelling] as const,
      );
    }),
  )
  .map((variant, turn) => [...variant, turn] as const);

describe("A server echoes the API key or a secret of a manifest, or a part of one → no eight characters of it are shown, whichever the command, format or file", () => {
  it.each(variants)("%s in %s, %s", async (cut, place, spelling, turn) => {
    const echoOf = (known: readonly string[]): string =>
      known.map((secret) => spellings[spelling]?.(cuts[cut]?.(secret) ?? "") ?? "").join(" ");
    const begin = (known: readonly string[]): void =>
      service.begin(seed, {
        name: place,
        at: () => true,
        answer: (request, right) => places[place]?.(request, right, echoOf(known)) ?? plainly(right),
      });
    // Every place has eight variants: each command has its turn in each place.
    for (const args of part(commands, turn, 3)) {
      begin(secrets);
      for (const text of await outputs(args))
        expect(partsSeen(text, secrets), `${args.join(" ")}\n${text}`).toEqual([]);
    }
    for (const args of part(withoutManifests, turn, 3)) {
      begin([apiKey]);
      for (const text of await outputs(args))
        expect(partsSeen(text, [apiKey]), `${args.join(" ")}\n${text}`).toEqual([]);
    }
  });
});

describe("A service sends a secret back before the manifest that names it was read → what is traced waits until all manifests are read", () => {
  it.each([["text"], ["json"]])("a next page named for the secret, traced as %s", async (format) => {
    const many = Array.from(
      { length: 1500 },
      (_, index) =>
        `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b${index}}\nspec: {status_code: 200}\n---\n`,
    );
    await write("many/edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
    await write("many/edge/chain.pem", pair.certificate);
    await write("many/edge/all.yaml", many.join("") + manifests);
    service.begin(seed, {
      name: "next page",
      at: ({ method }) => method === "GET",
      answer: (request, right) => places["next_page_uri"]?.(request, right, hook) ?? plainly(right),
    });
    const heard: string[] = [];
    const io = memoryIo({ cwd: join(dir, "many"), env, onStderr: (text) => heard.push(text) });
    await run(["plan", "-v", "--log-format", format, "-q"], io);
    const all = heard.join("");
    expect(all).toContain("before_id=(secret)");
    expect(partsSeen(all + io.out(), secrets)).toEqual([]);
  });
});

describe("A pull request writes guesses of the API key into its files → right and wrong guesses are shown alike, so that the mask answers no questions", () => {
  const known = apiKey.slice(0, 7);
  const right = apiKey.slice(7, 8);
  const wrong = right === "m" ? "n" : "m";
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  it.each<[string, (guess: string) => { readonly [path: string]: string }, readonly string[]]>([
    ["a description", (guess) => ({ "edge/a.yaml": backendOf(`description: "is it ${guess}?"`) }), ["plan"]],
    [
      "a description, as JSON",
      (guess) => ({ "edge/a.yaml": backendOf(`description: "is it ${guess}?"`) }),
      ["plan", "-o", "json"],
    ],
    [
      "an escape of JSON",
      (guess) => ({ "edge/a.yaml": backendOf(`body: '{"a":"\\u00${hexOf(guess)}"}'`) }),
      ["plan", "-o", "json"],
    ],
    ["Base64", (guess) => ({ "edge/a.yaml": backendOf(`body: "${base64(`a${guess}b`)}"`) }), ["plan", "-o", "html"]],
    [
      "the name of a file",
      (guess) => ({ [`edge/${guess}.yaml`]: backendOf("description: x") }),
      ["plan", "-o", "github"],
    ],
    [
      "a mistake that is shown with its line",
      (guess) => ({ "edge/a.yaml": backendOf(`descriptoin: "${guess}"`) }),
      ["plan"],
    ],
    [
      "a mistake in what validate shows",
      (guess) => ({ "edge/a.yaml": backendOf(`${guess}: 1`) }),
      ["validate", "-o", "sarif"],
    ],
    ["the configuration", (guess) => ({ "edgewise.yaml": `${config}\nvariabels: {a: "${guess}"}\n` }), ["plan"]],
    ["a pattern", (guess) => ({ "edgewise.yaml": config.replace("edge/", `edge/${guess}/`) }), ["plan"]],
  ])("%s", async (_, files, args) => {
    const shown: string[] = [];
    // All but the last character is known: whoever learns whether the last is right, learns the key bit by bit.
    for (const guess of [known + right, known + wrong]) {
      await rm(join(dir, "guess"), { recursive: true, force: true });
      await write("guess/edgewise.yaml", config);
      for (const [path, text] of Object.entries(files(guess))) await write(`guess/${path}`, text);
      service.begin({}, null);
      const io = memoryIo({ cwd: join(dir, "guess"), env });
      await run(args, io);
      const text = io.out() + io.err();
      shown.push(
        [guess, guess.toLowerCase(), base64(`a${guess}b`), hexOf(guess)].reduce(
          (all, form) => all.replaceAll(form, "GUESS"),
          text,
        ),
      );
    }
    expect(shown[0]).toContain("GUESS");
    // Checksums cover the guess, whose text both show.
    const sums = /sha256:\w+|"[0-9a-f]{64}"/gu;
    expect(shown[0]?.replaceAll(sums, "")).toBe(shown[1]?.replaceAll(sums, ""));
  });
});

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";

function backendOf(spec: string, name = "b"): string {
  return `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: "${name}"}\nspec:\n  status_code: 200\n  ${spec}\n`;
}

/** The first character as two digits, and the rest as it is. */
function hexOf(text: string): string {
  return text.charCodeAt(0).toString(16) + text.slice(1);
}
