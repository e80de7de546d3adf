import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const folder = fileURLToPath(new URL("./golden/", import.meta.url));

/** Compares with `golden/NAME`; `UPDATE_GOLDEN=1` writes it instead. */
export function expectGolden(name: string, actual: string): void {
  const file = folder + name;
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, actual);
  }
  expect(existsSync(file), `${file} is missing: run with UPDATE_GOLDEN=1`).toBe(true);
  expect(actual).toBe(readFileSync(file, "utf8"));
}
