import { DCLinter } from "dclint";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { root } from "../../repository/source-files.ts";

const directory = join(root, "examples/serve");
const text = readFileSync(join(directory, "compose.yaml"), "utf8");

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly stop_grace_period: string;
  readonly ports?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
}
const { services }: { services: { edgewise: Service; postgres: Service } } = parse(text);
const { edgewise, postgres } = services;

/** What the schema of Compose, and the linter's other rules but those of order and quotes, have against a file. */
async function problemsOf(content: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgewise-compose-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "compose.yaml"), content);
  const order = ["service-keys-order", "services-alphabetical-order", "top-level-properties-order"];
  const off = [...order, "no-build-and-image", "require-quotes-in-ports", "service-dependencies-alphabetical-order"];
  const rules = Object.fromEntries(off.map((name): [string, 0] => [name, 0]));
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  const results: readonly { readonly messages: readonly { readonly rule: string; readonly message: string }[] }[] =
    linter.lintFiles([folder], false);
  expect(results.length).toBe(1);
  return results.flatMap(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`));
}

describe("examples/serve/compose.yaml", () => {
  it("is what Compose takes, member by member", async () => {
    expect(await problemsOf(text)).toEqual([]);
    expect((await problemsOf(text.replace("cap_drop", "cap_dropp"))).join(" ")).toContain("additional properties");
  });

  it("has two processes, which begin when their database answers, and end before they are killed", () => {
    expect(edgewise).toMatchObject({
      deploy: { replicas: 2 },
      depends_on: { postgres: { condition: "service_healthy" } },
      restart: "always",
    });
    const grace = Number(/^(\d+)s$/.exec(edgewise.command[edgewise.command.indexOf("--grace") + 1] ?? "")?.[1]);
    expect(Number(/^(\d+)s$/.exec(edgewise.stop_grace_period)?.[1])).toBeGreaterThanOrEqual(grace + 10);
    expect(postgres.healthcheck.test).toContain("pg_isready");
    expect(edgewise.healthcheck.test.join(" ")).toContain("http://127.0.0.1:7070/healthz");
  });

  it("is given the same arguments as the pods of Kubernetes", () => {
    const { spec } = parse(readFileSync(join(directory, "kubernetes/deployment.yaml"), "utf8"));
    expect(edgewise.command).toEqual(spec.template.spec.containers[0].args);
    expect(edgewise.image).toBe(spec.template.spec.containers[0].image);
  });
});
