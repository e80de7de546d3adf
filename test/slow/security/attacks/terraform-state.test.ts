import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/json.ts";
import { limits } from "../../../../src/limits.ts";
import { beyondLists, stage, type Ran, type Stage } from "../../../commands/stage.ts";
import { instance, resource, shownState, tfState } from "../../../export/support/tfstate.ts";

/** What a terminal, a runner, a shell or YAML would act upon, as the key of a `for_each`. */
const hostileKeys = [
  "\u001b]0;title\u0007\u001b[31mred",
  "a\n::error::b\n##[group]c",
  "a\r\n# b\r\nkind: TLSEdge",
  "---\napiVersion: edgewise/v1",
  "'; touch hacked; '",
  "$(touch hacked) `touch hacked`",
  "\u202egnp.exe",
  "<img src=x onerror=alert(1)> [x](javascript:y)",
  "__proto__",
  "\ud800",
  "x".repeat(5000),
];

async function exported(on: Stage, state: unknown, ...args: readonly string[]): Promise<Ran> {
  await on.write("terraform.tfstate", typeof state === "string" ? state : JSON.stringify(state));
  return on.run("export", "--from-tfstate", "terraform.tfstate", ...args);
}

/** What was printed, and what stands in all files that an export wrote. */
async function everything(on: Stage, { err, out }: Ran): Promise<string> {
  const files = await readdir(on.dir, { recursive: true });
  const texts = files
    .filter((file) => /\.(yaml|json)$/u.test(file) && !file.startsWith("."))
    .map(async (file) => readFile(join(on.dir, file), "utf8"));
  return [out, err, ...(await Promise.all(texts))].join("\n");
}

describe("A Terraform state holds secrets, and keys that a terminal, runner or shell would act upon → no value of it is shown, and its keys are text", () => {
  it.each([
    ["yaml", tfState],
    ["json", shownState],
  ])("its secrets are in no output (%s)", async (format, state) => {
    const on = await stage();
    const made = on.behind("POST", "/reserved_addrs", { region: "eu" });
    const resources = [
      resource("ngrok_reserved_addr.tcp", String(made["id"])),
      resource("ngrok_tls_certificate.gone", "cert_gone"),
      resource("ngrok_http_response_backend.half", null),
      resource("ngrok_credential.ci", "CANARY-id-of-an-unmanaged-type"),
      resource("aws_db_instance.db", "CANARY-id-of-another-provider"),
    ];
    for (const args of [[], ["-v"], ["--log-format", "json"], ["--out-dir", `edge-${format}`, "--split", "resource"]]) {
      const ran = await exported(on, state(...resources), "-o", format, ...args);
      expect(ran.exit).toBe(0);
      expect(await everything(on, ran)).not.toContain("CANARY");
    }
  });

  it.each(["yaml", "json"])(
    "its keys are shown harmlessly, and name files of the export's directory alone (%s)",
    async (format) => {
      const on = await stage();
      const ids = hostileKeys.map((_, index) =>
        String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"] ?? index),
      );
      const tcp = { type: "ngrok_reserved_addr", name: "tcp" };
      const state = tfState(
        { ...tcp, instances: hostileKeys.map((key, index) => instance(tcp.type, ids[index] ?? "", { key })) },
        {
          ...tcp,
          name: "gone",
          instances: hostileKeys.map((key, index) => instance(tcp.type, `ra_gone${index}`, { key })),
        },
        {
          ...tcp,
          type: "ngrok_api_key",
          instances: hostileKeys.map((key, index) => instance("ngrok_api_key", `ak_${index}`, { key })),
        },
      );
      for (const args of [[], ["--out-dir", "edge", "--split", "resource"]]) {
        const ran = await exported(on, state, "-o", format, ...args);
        expect(ran.exit, ran.err).toBe(0);
        const all = await everything(on, ran);
        expect(all).not.toMatch(/[\u001b\u0007\r\u202e\ud800]/u);
        expect(all).not.toMatch(/^\s*::|##\[/mu);
      }
      const files = (await readdir(on.dir, { recursive: true })).filter((file) => !file.startsWith("."));
      for (const file of files) expect(file).toMatch(/^(edge(\/[a-z0-9._/-]+)?|edgewise\.yaml|terraform\.tfstate)$/u);
      if (format === "json") return;
      expect((await on.run("validate")).exit).toBe(0);
      const plan = JSON.parse((await on.run("plan", "-o", "json")).out);
      expect(plan.summary).toMatchObject({ adopt: hostileKeys.length, create: 0, update: 0 });
    },
  );

  it("what it tells a shell to run is one address and nothing else", async () => {
    const on = await stage();
    const id = String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"]);
    for (const key of hostileKeys) {
      const { err } = await exported(on, tfState(resource("ngrok_reserved_addr.tcp", id, { key })));
      const [, command = ""] = /^ {2}(terraform state rm .+)$/mu.exec(err) ?? [];
      const args = await promisify(execFile)(
        "sh",
        ["-c", `terraform() { printf '%s\\n' "$#" "$1" "$2"; }; ${command}`],
        {
          cwd: on.dir,
        },
      );
      expect(args.stdout).toMatch(/^3\nstate\nrm\n$/u);
    }
    expect(await readdir(on.dir)).not.toContain("hacked");
  });

  it("an id leads to no other path, and one that can't be one is none", async () => {
    const on = await stage();
    const ids = [
      "../../tls_certificates/cert_1",
      "a/../../b?x=1#y",
      "%2e%2e",
      "\u001b[31m",
      "a\nb",
      "..",
      ".",
      "",
      "x".repeat(300),
      7,
      {},
      null,
    ];
    const edge = (name: string, id: Json, routes: Json) => ({
      type: "ngrok_edge_https",
      name,
      instances: [{ attributes: { id, routes } }],
    });
    const state = tfState(
      ...ids.map((id, index) => edge(`e${index}`, id, [])),
      edge(
        "good",
        "edghts_1",
        ids.map((id) => ({ id })),
      ),
    );
    const { err, exit, out } = await exported(on, state, "-o", "json");
    expect(exit, err).toBe(0);
    const paths = ["..%2F..%2Ftls_certificates%2Fcert_1", "a%2F..%2F..%2Fb%3Fx%3D1%23y", "%252e%252e"];
    const requests = [
      ...[...paths, "edghts_1"].map((id) => `${id}/tls_termination`),
      ...paths.flatMap((id) => [`edghts_1/routes/${id}/webhook_verification`, `edghts_1/routes/${id}/traffic_policy`]),
    ];
    expect(beyondLists(on).toSorted()).toEqual(requests.map((path) => `GET /edges/https/${path}`).toSorted());
    const { notExported } = JSON.parse(out).terraform;
    const readable = [...ids.slice(0, 3), "edghts_1"];
    const shown = [...ids, "edghts_1", ...ids].map((id) => (readable.includes(id) ? id : null));
    expect(notExported.map(({ id }: { readonly id: string | null }) => id)).toEqual(shown);
  });

  it("an id or a type that a terminal or a runner would act upon is shown as text", async () => {
    const on = await stage();
    const odd = [
      "ra_\u202egnp",
      "ra_\u2028::error::x",
      "ra_\u2066##[group]",
      "ra_`x` [y](javascript:z)",
      "ra_\u{e0041}",
    ];
    const state = tfState(
      ...odd.map((id, index) => resource(`ngrok_reserved_addr.r${index}`, id)),
      resource("ngrok_ﷺdomain.x", "rd_1"),
    );
    for (const args of [[], ["-o", "json"], ["--log-format", "json"]]) {
      const { err, exit, out } = await exported(on, state, ...args);
      expect(exit).toBe(0);
      expect(out + err).not.toMatch(/[\u2028\u202e\u2066\u{e0041}]/u);
      expect(out + err).not.toMatch(/^\s*(::|##\[)/mu);
    }
  });

  it("members like __proto__ are members like any other", async () => {
    const on = await stage();
    const id = String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"]);
    const text = JSON.stringify(tfState(resource("ngrok_reserved_addr.tcp", id)));
    const { exit, out } = await exported(
      on,
      text.replace(
        '"attributes":{',
        '"__proto__":{"deposed":"x"},"attributes":{"__proto__":{"id":"ra_evil"},"constructor":1,',
      ),
    );
    expect(exit).toBe(0);
    expect(out).toContain(`id: ${id}\n`);
    expect(Object.hasOwn(Object.prototype, "deposed")).toBe(false);
  });

  it("is read only up to a bound, from a file or a pipe that ends", async () => {
    const on = await stage();
    const id = String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"]);
    const huge = await open(join(on.dir, "huge.tfstate"), "w");
    await huge.truncate(limits.stateBytes + 1);
    await huge.close();
    await symlink("/dev/zero", join(on.dir, "zero.tfstate"));
    for (const [file, why] of [
      ["huge.tfstate", `it has more than ${limits.stateBytes} bytes`],
      ["zero.tfstate", "it is a device or socket, not a file"],
      ["/dev/zero", "it is a device or socket, not a file"],
      [".", "it is a directory"],
      ["none.tfstate", "there is no such file"],
    ] as const) {
      const { err, exit } = await on.run("export", "--from-tfstate", file);
      expect(exit).toBe(1);
      expect(err).toContain(`${file} can't be used as a Terraform state: ${why}`);
    }
    expect(on.sandbox.requests().log).toEqual([]);
    await on.write("terraform.tfstate", JSON.stringify(tfState(resource("ngrok_reserved_addr.tcp", id))));
    await promisify(execFile)("mkfifo", [join(on.dir, "pipe")]);
    const writer = spawn("sh", ["-c", "cat terraform.tfstate > pipe"], { cwd: on.dir });
    const ended = once(writer, "close");
    expect((await on.run("export", "--from-tfstate", "pipe")).out).toContain("name: tcp\n");
    await ended;
  });

  it("with a hundred thousand resources gives manifests that can be read again", async () => {
    const on = await stage();
    const id = String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"]);
    const attributes = { id: "ra_gone" };
    const of = (type: string, prefix: string) => ({
      type,
      name: "tcp",
      instances: Array.from({ length: 50_000 }, (_, key) => ({
        key,
        attributes: { ...attributes, id: `${prefix}${key}` },
      })),
    });
    const state = tfState(
      resource("ngrok_reserved_addr.one", id),
      of("ngrok_reserved_addr", "ra_"),
      of("ngrok_domain", "rd_"),
    );
    const { err, exit } = await exported(on, state, "--out-dir", "edge");
    expect(exit).toBe(0);
    expect(err).toContain("the same goes for 49000 more resources of the state");
    expect(err).toContain("ngrok_domain, which stays with Terraform (50000): ngrok_domain.tcp[0]");
    expect((await on.run("validate")).exit).toBe(0);
    const report = JSON.parse((await exported(on, state, "-o", "json")).out);
    expect(report.terraform.notExported).toHaveLength(50_000);
    expect(report.terraform.unmanaged[0].terraform).toHaveLength(50_000);
  });
});
