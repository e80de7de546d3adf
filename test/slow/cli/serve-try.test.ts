import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliPath, sandboxProcess, temporary } from "../../support/cli.ts";

const page = readFileSync(new URL("../../../docs/serve/README.md", import.meta.url), "utf8");
const [, section = ""] = /^## Try it\n(.*?)^## /msu.exec(page) ?? [];
const [first = "", second = ""] = [...section.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, code]) => code ?? "");

it("lets a new user try serve with what its page says, word for word", async () => {
  const [dir, programs] = [await temporary(), await temporary()];
  const { EDGEWISE_BASE_URL: baseUrl = "", EDGEWISE_API_KEY: key = "" } = await sandboxProcess();
  await mkdir(join(programs, "home"));
  const edgewise = `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`;
  await writeFile(join(programs, "edgewise"), edgewise, { mode: 0o700 });
  await writeFile(join(programs, "curl"), "#!/bin/sh\n", { mode: 0o700 });
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@x" };
  const env = { PATH: `${programs}:${process.env["PATH"] ?? ""}`, HOME: join(programs, "home"), ...author };
  const sh = (code: string): string => {
    const here = code.replaceAll("http://127.0.0.1:8080", baseUrl).replaceAll("demo-key", key);
    return execFileSync("sh", ["-e", "-c", here], { cwd: dir, env, encoding: "utf8", stdio: "pipe" });
  };
  const pass = "edgewise serve fleet.yaml --once\n";
  expect(first).toContain("\nedgewise serve fleet.yaml\n");
  expect(sh(first.replace(/^edgewise serve fleet\.yaml$/mu, pass))).toMatch(
    /: all is well\n[^]*\n1 stack: 1 synced\n$/u,
  );
  expect(sh(second + pass)).toMatch(/\n1 stack: 1 synced\n$/u);
  const live = await fetch(`${baseUrl}/backends/http_response`, {
    headers: { Authorization: `Bearer ${key}`, "Service-Version": "2" },
  });
  expect(await live.text()).toContain("Back at noon.");
});
