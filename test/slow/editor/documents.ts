import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { isObject } from "../../../src/core/json.ts";
import { kindNames } from "../../../src/kinds/names.ts";
import { root } from "../../repository/source-files.ts";
import type { OpenFile } from "./language-server.ts";

export type Room = "manifest" | "config" | "fleet";

export const rooms = Object.fromEntries(
  ["manifest", "config", "fleet", "traffic-policy"].map((room) => [
    `.edgewise/schemas/${room}.schema.json`,
    `${room}/**/*.yaml`,
  ]),
);

export interface Written {
  readonly from: string;
  readonly room: Room;
  readonly text: string;
}

export function roomOf(text: string): Room | null {
  const kinds = parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.errors.length > 0 ? null : document.toJS();
    return isObject(value) && String(value["apiVersion"]).includes("edgewise") ? [value["kind"]] : [];
  });
  if (kinds.length === 0) return null;
  if (kinds.every((kind) => kind === "Config")) return "config";
  if (kinds.every((kind) => kind === "Fleet")) return "fleet";
  return kinds.some((kind) => (kindNames as readonly unknown[]).includes(kind)) ? "manifest" : null;
}

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => ending.test(path) && !path.includes("node_modules"))
    .toSorted();
}

export function exampleFiles(): readonly Written[] {
  return filesBelow("examples", /\.ya?ml$/).flatMap((from) => {
    const text = readFileSync(join(root, from), "utf8");
    const room = roomOf(text);
    return room === null ? [] : [{ from, room, text }];
  });
}

/** Every YAML block of the documents; … stands for something that fits. */
export function documentBlocks(): readonly Written[] {
  const pages = ["README.md", ...filesBelow("docs", /\.md$/), ...filesBelow("examples", /\.md$/)];
  return pages.flatMap((from) => {
    const blocks = [...readFileSync(join(root, from), "utf8").matchAll(/^```ya?ml\n(.*?)^```/gms)];
    return blocks.flatMap(([, text = ""], index) => {
      const room = roomOf(text);
      return room === null ? [] : [{ from: `${from} block ${index + 1}`, room, text: text.replaceAll("…", "x") }];
    });
  });
}

export function open(workspace: string, path: string, text: string): OpenFile {
  return { uri: pathToFileURL(join(workspace, path)).href, text };
}
