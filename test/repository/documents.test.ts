import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source-files.ts";

const skip = new Set(["node_modules", "dist", ".git", "coverage"]);

function markdownFiles(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return skip.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

const documents = markdownFiles(root).map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));

/** GitHub's anchor of a heading. */
function anchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

describe("documents", () => {
  it("link to files and headings that exist", () => {
    const broken = documents.flatMap(({ path, text }) => {
      const prose = text.replace(/```[\s\S]*?```/g, "");
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1] ?? "")
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = "", hash] = target.split("#");
          const full = file === "" ? join(root, path) : resolve(root, dirname(path), decodeURIComponent(file));
          if (!existsSync(full)) return true;
          if (hash === undefined || !full.endsWith(".md")) return false;
          const headings = [...readFileSync(full, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) =>
            anchor(match[1] ?? ""),
          );
          return !headings.includes(hash);
        })
        .map((target) => `${path}: ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it("are reached from the README or from each other", () => {
    const named = new Set(
      documents.flatMap(({ path, text }) =>
        [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) =>
          relative(root, resolve(root, dirname(path), match[1] ?? "")),
        ),
      ),
    );
    const lost = documents.map(({ path }) => path).filter((path) => path.startsWith("docs/") && !named.has(path));
    expect(lost).toEqual([]);
  });

  it("name no service, but for the page about a real one", () => {
    const named = documents.filter(({ text }) => /ngrok/i.test(text)).map(({ path }) => path);
    expect(named).toEqual(["docs/live-services.md"]);
  });
});
