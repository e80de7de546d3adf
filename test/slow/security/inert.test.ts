import { describe, expect, it } from "vitest";
import { run } from "../../../src/commands/run.ts";
import type { WorldSeed } from "../../../src/model/world-seed.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { backend, edge, stage } from "../../commands/stage.ts";
import { type Mischief, hostileService, plainly } from "./support/hostile-service.ts";

const nasty = [
  "\u001b[31mred\u001b[0m",
  "\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
  "\u009b2J",
  "\u202egnp.exe",
  "\u2066bidi",
  "\r\n::set-output name=a::b",
  "\n::error file=x::y",
  "\n##[command]rm",
  "\n##vso[task.setvariable variable=a]b",
  "```\n# Title\n```",
  "`code`",
  "@octocat @org/team",
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "]]>",
  "<!-- x -->",
  "\u0000\u0007\u0008",
  "\u2028\u2029",
  "|cell|",
  "\u{e0041}",
].join(" ");

function expectInert(text: string, what: string): void {
  // Only what edgewise itself writes: colours, and the live line's own control.
  const plain = text.replaceAll(/\u001b\[[0-9;]*m|\r?\u001b\[K/gu, "");
  const active = plain
    .split("\n")
    .filter((line) =>
      /(?![\t\u200b])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|^\s*::(?!(?:error|warning|notice) (?:file|title)=)|##\w*\[/u.test(
        line,
      ),
    );
  expect(active, what).toEqual([]);
  expect(text, what).not.toContain("\u001b[31mred");
}

const metadata = (name: string): string => JSON.stringify({ edgewise: { stack: "demo", name }, note: nasty });

const plainNasty = nasty.replaceAll(/\p{Cc}/gu, "");
const texts = { uri: nasty, description: nasty, body: nasty };

const seed: WorldSeed = {
  lists: {
    HTTPResponseBackend: [
      { id: "bkdhr_1", ...texts, metadata: metadata("down"), status_code: 503, headers: { [nasty]: nasty } },
      { id: `bkdhr_2${plainNasty}`, ...texts, metadata: metadata(nasty), status_code: 200 },
      { id: "bkdhr_3", ...texts, metadata: nasty, status_code: 200 },
    ],
    TLSEdge: [
      {
        id: "edgtls_1",
        uri: "",
        metadata: metadata("api"),
        hostports: ["a.example.com:443", nasty],
        backend: { enabled: true, backend: { id: nasty, uri: nasty } },
        traffic_policy: { enabled: true, value: nasty },
      },
      { id: "edgtls_2", uri: "", description: nasty, hostports: ["taken.example.com:443"] },
    ],
    ReservedAddress: [{ id: "ra_1", ...texts, addr: nasty, region: nasty, metadata: '{"edgewise":5}' }],
    IPRestriction: [
      { id: "ipx_1", uri: "", type: nasty, ip_policies: [{ id: nasty, uri: "" }], metadata: metadata("x") },
    ],
    TLSCertificate: [{ id: "cert_1", ...texts, certificate_pem: nasty, not_after: nasty, subject_common_name: nasty }],
  },
};

const manifests =
  backend("down") +
  edge("api", "a.example.com:443", ", backend: {backend: {name: down}}") +
  edge("more", "taken.example.com:443");

const failing: Mischief = {
  name: "failing writes",
  at: ({ method }) => method !== "GET",
  answer: () => plainly({ status: 400, body: { error_code: nasty, msg: nasty, details: { operation_id: nasty } } }),
};

const oddly: Mischief = {
  name: "odd answers to writes",
  at: ({ method }) => method !== "GET",
  answer: (_, right) =>
    plainly({ ...right, body: { ...(right.body as object), id: `id ${plainNasty}`, description: nasty } }),
};

const commands: readonly (readonly string[])[] = [
  ...["text", "json", "markdown", "html", "github", "gitlab"].map((format) => ["plan", "-o", format]),
  ...["text", "markdown", "junit"].map((format) => ["drift", "--unmanaged", "--expires-within", "9999d", "-o", format]),
  ...["text", "json"].map((format) => ["apply", "-y", "--only", "TLSEdge/api", "-o", format]),
  ["destroy", "-y", "--max-deletes", "100%"],
  ["export", "--all"],
  ["list"],
  ["pull", "-y"],
];

describe("text from a service has no effect on a terminal or runner", () => {
  it.each(commands.map((command) => [command.join(" "), command] as const))("%s", async (what, command) => {
    const service = await hostileService();
    try {
      const { dir, write } = await stage();
      await write("edge/all.yaml", manifests);
      const env = { EDGEWISE_API_KEY: "key-of-the-stage", EDGEWISE_BASE_URL: service.baseUrl };
      for (const [mischief, more, terminal] of [
        [null, [], true],
        [null, ["-v"], false],
        [failing, ["-v"], true],
        [failing, ["-v", "--log-format", "json"], false],
        [oddly, [], true],
      ] as const) {
        service.begin(seed, mischief);
        const io = memoryIo({ cwd: dir, env, terminal, color: terminal });
        await run([...command, ...more], io);
        const about = `${what} ${more.join(" ")} ${mischief?.name ?? ""}`;
        expect(io.out() + io.err(), about).not.toBe("");
        expect(io.err(), about).not.toContain("bug in edgewise");
        expectInert(io.err(), `stderr of ${about}`);
        expectInert(io.out(), `stdout of ${about}`);
      }
    } finally {
      await service.close();
    }
  });
});
