import { execFileSync } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beyondLists, stage, type Ran, type Stage } from "../../../commands/stage.ts";
import { instance, resource, tfState } from "../../../export/support/tfstate.ts";

/** What a terminal, a runner, a shell or YAML would act upon, as the key of a `for_each`. */
const hostileKeys = [
  "\u001b]0;title\u0007\u001b[31mred",
  "a\n::error::b\n##[group]c",
  "a\r\n# b\r\nkind: TLSEdge",
  "---\napiVersion: edgewise/v1",
  "'; touch hacked; '",
  "$(touch hacked) `touch hacked`",
  "\u202egnp.exe",
  "__proto__",
  "\ud800",
  "x".repeat(5000),
];

async function exported(on: Stage, state: unknown, ...args: readonly string[]): Promise<Ran> {
  await on.write("terraform.tfstate", JSON.stringify(state));
  return on.run("export", "--from-tfstate", "terraform.tfstate", ...args);
}

async function everything(on: Stage, { err, out }: Ran): Promise<string> {
  const files = (await readdir(on.dir, { recursive: true })).filter((file) => /^edge.*\.(yaml|json)$/u.test(file));
  return [out, err, ...(await Promise.all(files.map((file) => readFile(join(on.dir, file), "utf8"))))].join("\n");
}

const reserved = (on: Stage): string => String(on.behind("POST", "/reserved_addrs", { region: "eu" })["id"]);

describe("a Terraform state", () => {
  it("holds secrets: none is in any output", async () => {
    const on = await stage();
    const resources = [
      resource("ngrok_reserved_addr.tcp", reserved(on)),
      resource("ngrok_tls_certificate.gone", "cert_gone"),
      resource("ngrok_credential.ci", "CANARY-id-of-an-unmanaged-type"),
      resource("aws_db_instance.db", "CANARY-id-of-another-provider"),
    ];
    for (const args of [["-v"], ["-o", "json", "--log-format", "json"], ["--out-dir", "edge"]]) {
      const ran = await exported(on, tfState(...resources), ...args);
      expect(ran.exit).toBe(0);
      expect(await everything(on, ran)).not.toContain("CANARY");
    }
  });

  it("has keys that a terminal, runner or shell would act upon: they are text", async () => {
    const on = await stage();
    const type = "ngrok_reserved_addr";
    const of = (name: string, id: (index: number) => string) => ({
      type,
      name,
      instances: hostileKeys.map((key, index) => instance(type, id(index), { key })),
    });
    const ids = hostileKeys.map(() => reserved(on));
    const state = tfState(
      of("tcp", (index) => ids[index] ?? ""),
      of("gone", (index) => `ra_gone${index}`),
    );
    for (const args of [[], ["--out-dir", "edge"]]) {
      const ran = await exported(on, state, ...args);
      expect(ran.exit, ran.err).toBe(0);
      const all = await everything(on, ran);
      expect(all).not.toMatch(/[\u001b\u0007\r\u202e\ud800]/u);
      expect(all).not.toMatch(/^\s*::|##\[/mu);
      for (const [, command = ""] of ran.err.matchAll(/^ {2}(terraform state rm .+)$/gmu)) {
        const script = `terraform() { printf '%s\\n' "$#" "$1" "$2"; }; ${command}`;
        expect(execFileSync("sh", ["-c", script], { cwd: on.dir, encoding: "utf8" })).toMatch(/^3\nstate\nrm\n$/u);
      }
    }
    const files = (await readdir(on.dir, { recursive: true })).filter((file) => !file.startsWith("."));
    for (const file of files) expect(file).toMatch(/^(edge(\/[a-z0-9._/-]+)?|edgewise\.yaml|terraform\.tfstate)$/u);
    const plan = JSON.parse((await on.run("plan", "-o", "json")).out);
    expect(plan.summary).toMatchObject({ adopt: hostileKeys.length, create: 0, update: 0 });
  });

  it("has ids that would lead to another path: they lead nowhere else", async () => {
    const on = await stage();
    const ids = ["../../tls_certificates/cert_1", "a/../../b?x=1#y", "\u001b[31m", "..", "", 7, null];
    const instances = ["edghts_1", ...ids].map((id, key) => ({ key, attributes: { id } }));
    const { err, exit } = await exported(on, tfState({ type: "ngrok_edge_https", name: "good", instances }));
    expect(exit, err).toBe(0);
    const asked = ["edghts_1", "..%2F..%2Ftls_certificates%2Fcert_1", "a%2F..%2F..%2Fb%3Fx%3D1%23y"];
    expect(beyondLists(on).toSorted()).toEqual(asked.map((id) => `GET /edges/https/${id}/tls_termination`).toSorted());
  });
});
