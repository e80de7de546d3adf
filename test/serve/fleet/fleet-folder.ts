import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConfigProblems } from "../../../src/config/config.ts";
import type { Fleet } from "../../../src/serve/fleet/fleet.ts";
import { loadFleet } from "../../../src/serve/fleet/load-fleet.ts";
import { folder } from "../../config/folder.ts";

export const head = `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: {git: https://git.example.com/edge.git}
accounts:
  main: {baseUrl: https://api.example.com, key: {file: key}}
`;

export async function fleetFolder(text: string, files: { readonly [path: string]: string } = {}): Promise<string> {
  const root = await folder({ ...files, "fleet.yaml": text });
  await writeFile(join(root, "key"), "the-key-of-the-account\n");
  await chmod(join(root, "key"), 0o600);
  return root;
}

export async function fleetOf(text: string, files: { readonly [path: string]: string } = {}): Promise<Fleet> {
  return loadFleet({ file: "fleet.yaml", cwd: await fleetFolder(text, files), env: {} });
}

export async function problemsOf(
  text: string,
  files: { readonly [path: string]: string } = {},
): Promise<readonly string[]> {
  const error: unknown = await fleetOf(text, files).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isConfigProblems(error)) throw new Error(`expected problems, got ${String(error)}`);
  return error.diagnostics.map(
    ({ code, file, line, column, message }) => `${code} ${file}:${line}:${column} ${message}`,
  );
}

function isConfigProblems(error: unknown): error is ConfigProblems {
  return error instanceof Error && error.name === "ConfigProblems";
}
