import { describe, expect, it } from "vitest";
import { makeCertificate } from "../../../scripts/certificate.mjs";
import type { Json } from "../../../src/json.ts";
import { limits } from "../../../src/limits.ts";
import { ownWords } from "../../../src/redact/public-words.ts";
import { type Stage, backend, edge, stage } from "../../commands/stage.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { type Reply, hostileService, plainly } from "../support/hostile-service.ts";
import { partsSeen } from "../support/parts.ts";

const secret = "Zq81-kLmN04-pW6sX";
const policyOf = (config: Json): string => JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "log", config }] }] });
const formats = {
  plan: ["text", "json", "markdown", "html", "github", "gitlab"],
  drift: ["text", "json", "markdown", "html", "github", "junit", "sarif"],
};

/** Puts a text where plan and drift show it: into the live description of a resource that a manifest describes otherwise. */
async function repeatLive(on: Stage, echo: string): Promise<void> {
  const name = `echo${echo.length}`;
  const metadata = `{"edgewise":{"stack":"demo","name":"${name}"}}`;
  await on.write(`edge/${name}.yaml`, backend(name, "status_code: 503, body: x, description: other"));
  on.behind("POST", "/backends/http_response", { description: `it is ${echo}`, metadata, status_code: 503, body: "x" });
}

/** What plan and drift print in every format, and the saved plan. */
async function printed(on: Stage): Promise<string> {
  const texts: string[] = [];
  for (const [command, all] of Object.entries(formats)) {
    for (const format of all) {
      const saved = command === "plan" ? ["--out", "plan.json"] : ["--unmanaged"];
      const { err, exit, out } = await on.run(command, "-o", format, ...saved, "-v");
      expect([0, 1, 2], err).toContain(exit);
      texts.push(out, err);
    }
  }
  return [...texts, await on.read("plan.json").catch(() => "")].join("\n");
}

const desiredPolicies: readonly (readonly [string, string])[] = [
  ["a variable", `{on_tcp_connect: [{actions: [{type: log, config: {headers: {Authorization: {env: A1}}}}]}]}`],
  ["a file", `{on_tcp_connect: [{actions: [{type: log, config: {headers: {Authorization: {file: ../a1}}}}]}]}`],
  ["in clear, an object", `{on_tcp_connect: [{actions: [{type: log, config: {password: ${secret}}}]}]}`],
  ["in clear, a text", `'${policyOf({ password: secret })}'`],
  ["in clear, a file of YAML", "{file: ../files/pol.yaml}"],
  ["in clear, a file of JSON", "{file: ../files/pol.json}"],
];

describe("A service repeats a secret of a manifest's policy, whole or in part, before it was sent → no output shows it", () => {
  it.each(desiredPolicies)("%s", async (_name, value) => {
    const on = await stage();
    on.env["A1"] = secret;
    await on.write("files/pol.yaml", policyOf({ password: secret }));
    await on.write("files/pol.json", policyOf({ password: secret }));
    await on.write("edge/w.yaml", edge("w", "w.example.com:443", `, traffic_policy: {value: ${value}}`));

    await on.write("a1", secret);
    for (const echo of [secret, secret.slice(3, 13)]) await repeatLive(on, echo);
    const shown = await printed(on);
    expect(shown).toContain("it is (secret)");
    expect(partsSeen(shown, [secret])).toEqual([]);
    // The first list is refused with the secret in the words.
    const service = await hostileService();
    try {
      on.env["EDGEWISE_BASE_URL"] = service.baseUrl;
      for (const echo of [secret, secret.slice(3, 13)]) {
        const answer = (): Reply => plainly({ status: 400, body: { error_code: "ERR_1", msg: `no: ${echo}` } });
        service.begin({}, { name: "400", at: () => true, answer });
        for (const command of ["plan", "drift", "apply"]) {
          const { err, out } = await on.run(command, ...(command === "apply" ? ["-y"] : []), "-v");
          expect(err).toContain("no: (secret)");
          expect(partsSeen(out + err, [secret])).toEqual([]);
        }
      }
    } finally {
      await service.close();
    }
  });
});

describe("Somebody repeats a secret of a live policy in another resource → no command shows it", () => {
  it.each([
    ["a text", "password", secret],
    ["a list", "credentials", [secret]],
    ["a header", "headers", { Authorization: secret }],
    ["a pair", "pairs", [{ name: "Authorization", value: secret }]],
  ])("%s", async (_name, member, value) => {
    const on = await stage();
    await on.write("edge/b.yaml", backend("b"));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    const owned = '{"edgewise":{"stack":"demo","name":"e"}}';
    const traffic_policy = { value: policyOf({ [member]: value }) };
    on.behind("POST", "/edges/tls", { hostports: ["e.example.com:443"], metadata: owned, traffic_policy });
    for (const echo of [secret, secret.slice(3, 13)]) await repeatLive(on, echo);
    expect(partsSeen(await printed(on), [secret])).toEqual([]);
    for (const args of [
      ["export", "--all"],
      ["export", "--all", "-o", "json"],
      ["destroy", "--out", "gone.json", "-o", "json", "--max-deletes", "100%"],
      ["destroy", "-y", "-o", "json", "--max-deletes", "100%"],
    ]) {
      const { err, exit, out } = await on.run(...args, "-v");
      expect([0, 2], err).toContain(exit);
      expect(partsSeen(out + err, [secret]), args.join(" ")).toEqual([]);
    }
    expect(partsSeen(await on.read("gone.json"), [secret])).toEqual([]);
  });
});

describe("A pull request writes guesses of a secret so that only decoding shows them → right and wrong guesses are printed alike", () => {
  const short = (pem: string): string =>
    pem
      .split("\n")
      .map((line) => (line.startsWith("---") ? line : line.replaceAll(/.{8}/gu, "$&\n").trimEnd()))
      .join("\n");
  const escaped = (text: string): string =>
    [...text].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
  const policyEdge = edge("w", "w.example.com:443", ", traffic_policy: {value: {file: ../files/pol.yaml}}");
  const certificate = `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: c}\nspec: {certificate_pem: {file: ../files/c.pem}, private_key_pem: {env: NONE}}\n`;
  // The API key is `key-of-the-stage`; the number is the beginning of a secret that another manifest names.
  const [right, wrong] = ["key-of-t", "key-of-x"];
  const places: readonly [
    string,
    readonly [string, string],
    (guess: string) => Promise<{ readonly [path: string]: string }>,
  ][] = [
    [
      "escapes in the YAML of a policy",
      [right, wrong],
      async (guess) => ({
        "edge/w.yaml": policyEdge,
        "files/pol.yaml": `on_tcp_connect: [{name: "it is ${escaped(guess)}"}]\n`,
      }),
    ],
    [
      "the name of a member in that YAML",
      [right, wrong],
      async (guess) => ({
        "edge/w.yaml": policyEdge,
        "files/pol.yaml": `on_tcp_connect: [{actions: [{config: {"${escaped(guess)}": 1}}]}]\n`,
      }),
    ],
    [
      "the name of a certificate",
      [right, wrong],
      async (guess) => ({
        "edge/c.yaml": certificate,
        "files/c.pem": short((await makeCertificate([guess])).certificate),
      }),
    ],
    [
      "the name of a header in capitals",
      [right, wrong],
      async (guess) => ({
        "edge/b.yaml": backend("b", `status_code: 503, headers: {${guess.toUpperCase()}: x}`),
      }),
    ],
    [
      "a header with a character that XML hasn't",
      [right, wrong],
      async (guess) => ({
        "edge/b.yaml": backend("b", `status_code: 503, headers: {x: "${guess.slice(0, 4)}\\uFFFF${guess.slice(4)}"}`),
      }),
    ],
    [
      "a number in the YAML of a policy",
      ["12345678", "12345679"],
      async (guess) => ({
        "edge/w.yaml": policyEdge,
        "files/pol.yaml": `on_tcp_connect: [{count: ${guess.slice(0, 1)}.${guess.slice(1)}e+7}]\n`,
      }),
    ],
    [
      "a number in the text of a policy",
      ["12345678", "12345679"],
      async (guess) => ({
        "edge/w.yaml": edge(
          "w",
          "w.example.com:443",
          `, traffic_policy: {value: '{"on_tcp_connect":[{"count":${guess.slice(0, 1)}.${guess.slice(1)}e7,"name":"${"long ".repeat(60)}"}]}'}`,
        ),
      }),
    ],
  ];
  it.each(places)("%s", async (_name, guesses, files) => {
    const all: string[] = [];
    for (const guess of guesses) {
      const on = await stage();
      on.env["NUMBER"] = "123456780";
      await on.write(
        "edge/n.yaml",
        `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: n, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, webhook_verification: {provider: SLACK, secret: {env: NUMBER}}}\n`,
      );
      for (const [path, text] of Object.entries(await files(guess))) await on.write(path, text);
      const spelt = `${guess.slice(0, 1)}.${guess.slice(1)}`;
      const text = (await printed(on))
        .replaceAll(/-----BEGIN CERT[^"<`]*/gu, "PEM")
        .replaceAll(spelt, "GUESS")
        .replaceAll(`${guess.slice(0, 4)}\uFFFF${guess.slice(4)}`, "GUESS")
        .replaceAll(`${guess.slice(0, 4)}\uFFFD${guess.slice(4)}`, "GUESS")
        .replaceAll(on.dir, "DIR")
        .replaceAll(on.sandbox.baseUrl, "URL")
        .replaceAll(guess, "GUESS")
        .replaceAll(guess.toUpperCase(), "GUESS");
      all.push(inOrder(text.replaceAll(/[0-9a-f]{12,}…?|127\.0\.0\.1:\d+|\d+(?:\.\d+)? ?m?s\b|\d+ bytes/gu, "#")));
    }
    expect(all[0]).toBe(all[1]);
  });

  /** Lines of requests last: requests run side by side, in whatever order the machine has time for them. */
  function inOrder(text: string): string {
    const lines = text.split("\n");
    const isRequest = (line: string): boolean => /^[<>] #\d/u.test(line);
    return [...lines.filter((line) => !isRequest(line)), ...lines.filter(isRequest).sort()].join("\n");
  }
});

describe("A pull request names a file as a secret that holds words of the plan → they stay readable, and JSON stays what its schema says", () => {
  it.each([["evil.example.com:443"], ["evil.example.com"], ["text-of-the-manifest"]])("%s", async (word) => {
    const on = await stage();
    await on.write("edge/s", word);
    await on.write(
      "edge/a.yaml",
      `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: n, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, webhook_verification: {provider: SLACK, secret: {file: s}}}\n`,
    );
    await on.write("edge/b.yaml", edge("b", "evil.example.com:443", ", description: text-of-the-manifest"));
    for (const format of formats.plan.filter((format) => format !== "gitlab")) {
      const { out, exit, err } = await on.run("plan", "-o", format, "--out", "plan.json");
      expect(exit, err).toBe(0);
      if (format === "text" || format === "json") expect(out).toContain("evil.example.com:443");
      if (format === "json") expect(out).toContain("text-of-the-manifest");
      expect((await on.run("show", "plan.json")).exit).toBe(0);
    }
    // In clear in the policy itself, which needs no file.
    const inClear = `{on_tcp_connect: [{actions: [{type: log, config: {password: "${word}"}}]}]}`;
    await on.write("edge/a.yaml", edge("a", "a.example.com:443", `, traffic_policy: {value: ${inClear}}`));
    const { out } = await on.run("plan", "-o", "json");
    expect(out).toContain("evil.example.com:443");
    expect(out).toContain("text-of-the-manifest");
  });

  it("every word of edgewise, and parts and pairs of them", async () => {
    const on = await stage();
    const words = [...ownWords];
    const secrets = words.flatMap((word, at) => [word, word.slice(1), word.slice(0, -1), `${word}-${words[at + 1]}`]);
    const items = secrets.map((word, at) => {
      on.env[`S${at}`] = word;
      return `{env: S${at}}`;
    });
    const policy = `{on_tcp_connect: [{actions: [{type: log, config: {credentials: [${items.join(", ")}]}}]}]}`;
    await on.write("edge/a.yaml", edge("a", "a.example.com:443", `, traffic_policy: {value: ${policy}}`));
    await on.write("edge/b.yaml", backend("b"));
    const json = async (name: string, ...args: readonly string[]): Promise<void> => {
      const { out, err } = await on.run(...args, "-o", "json");
      expect(violations(name, JSON.parse(out)), err).toEqual([]);
    };
    await json("plan", "plan", "--out", "plan.json");
    expect((await on.run("show", "plan.json")).exit).toBe(0);
    await json("drift", "drift");
    await json("diagnostics", "validate");
    await json("graph", "graph");
    await json("ping", "ping");
    await json("result", "apply", "-y", "--max-deletes", "100%");
  });
});

describe("A pull request names so many secrets that one more would not be looked for → an error at the manifest, or every secret is masked", () => {
  const large = (at: number): string =>
    Array.from({ length: 255 }, (_, line) => `${at}.${line}:`.padEnd(1024, `${at}x${line}y`)).join("");
  const route = (at: number, source: string): string =>
    `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: r${at}, id: edghtsrt_${at}}\nspec: {edge: {id: edghts_1}, webhook_verification: {provider: SLACK, secret: ${source}}}\n---\n`;

  it.each([
    ["112 of 255 KiB", 112],
    ["64 of 255 KiB, and one that leaves room for six characters of 16 Mi", 65],
  ])("%s", async (_name, count) => {
    const on = await stage();
    on.env["A1"] = secret;
    let manifests = "";
    for (let at = 0; at < count; at += 1) {
      await on.write(`keys/${at}`, at === 64 && count === 65 ? large(at).slice(0, 65_510) : large(at));
      manifests += route(at, `{file: ../keys/${at}}`);
    }
    await on.write("edge/a.yaml", manifests + route(count, "{env: A1}"));
    await repeatLive(on, secret.slice(0, 12));
    const { err, exit, out } = await on.run("drift");
    if (count * 255 * 1024 > limits.secretCharacters) {
      expect(exit).toBe(1);
      expect(err).toMatch(/edge\/a\.yaml:\d+:\d+.*the secrets that the manifests name have more than/u);
    } else expect(out).toContain("it is (secret)");
    expect(partsSeen(out + err, [secret])).toEqual([]);
  });
});
