import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Repository, edit, put } from "./repository.ts";

/** A change that does what it can to get a key, or to have something run; `broken` = also what keeps it from being planned. */
export async function hostileChange(
  repository: Repository,
  { broken = true } = {},
): Promise<{ readonly sha: string; expectHarmless(...secrets: readonly string[]): void }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const stolen = join(repository.scratch, "stolen");
  const evil = `import fs from "node:fs"; fs.appendFileSync(${JSON.stringify(stolen)}, JSON.stringify(process.env));\n`;
  writeFileSync(stolen, "");
  const sha = repository.commit("hostile", (work) => {
    put(work, ".edgewise/edgewise.mjs", evil);
    put(work, ".npmrc", "node-options=--require=./evil.mjs\n");
    put(work, "evil.mjs", evil);
    put(work, "package.json", `{"type":"module","imports":{"#x":"./evil.mjs"}}`);
    put(work, ".gitattributes", "*.mjs diff=evil filter=evil\n");
    edit(join(work, "edge/example.yaml"), (text) => text.replace("503", "502"));
    if (!broken) return;
    const elsewhere = `api: {baseUrl: "http://127.0.0.1:${(server.address() as AddressInfo).port}"}\n`;
    for (const name of ["$(touch pwned)", "`touch pwned`", "line\n::error::pwned", "elsewhere"]) {
      const more = name === "elsewhere" ? elsewhere : "";
      put(
        work,
        `${name}/edgewise.yaml`,
        `apiVersion: edgewise/v1\nkind: Config\nstack: ${JSON.stringify(name)}\n${more}manifests: [edge]\n`,
      );
      put(work, `${name}/edge/a.yaml`, "");
    }
    symlinkSync("/etc/passwd", join(work, "edge/link.yaml"));
    symlinkSync(repository.scratch, join(work, "edgewise-plans"));
  });
  return {
    sha,
    expectHarmless: (...secrets) => {
      expect(asked).toEqual([]);
      expect(execFileSync("find", [repository.scratch, "-name", "pwned*"], { encoding: "utf8" })).toBe("");
      for (const secret of secrets) expect(readFileSync(stolen, "utf8")).not.toContain(secret);
    },
  };
}
