import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The licences of edgewise and of the packages that modules are from, each below its name and version.
 * @param {string} root the repository
 * @param {readonly string[]} moduleIds paths
 */
export function licensesOf(root, moduleIds) {
  const inside = moduleIds.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
  const packages = [...new Set(inside)].toSorted((a, b) => (a < b ? -1 : 1));
  const own = { name: "edgewise", text: readFileSync(join(root, "LICENSE"), "utf8") };
  const theirs = packages.map((name) => {
    const directory = join(root, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    return { name: `${name} ${version}`, text: licenseIn(directory) };
  });
  const parts = [own, ...theirs].map(
    ({ name, text }) => `==== ${name} ====\n\n${text.replaceAll("\r\n", "\n").trim()}\n`,
  );
  return `This program contains edgewise and these packages: ${packages.join(", ")}. Their licences follow.\n\n${parts.join("\n")}`;
}

/** A package's licence: a file of its own, or else the part of its README that is called so. */
function licenseIn(directory) {
  const files = readdirSync(directory);
  const file = files.find((each) => /^licen[cs]e(\.\w+)?$/i.test(each));
  if (file !== undefined) return readFileSync(join(directory, file), "utf8");
  const readme = files.find((each) => /^readme\.md$/i.test(each));
  const parts = readme === undefined ? [] : readFileSync(join(directory, readme), "utf8").split(/^#+ /m);
  const part = parts.find((each) => /^licen[cs]e\s/i.test(each));
  if (part === undefined) throw new Error(`${directory} has no licence`);
  return part.slice(part.indexOf("\n"));
}
