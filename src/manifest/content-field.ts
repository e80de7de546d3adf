import { dirname, extname } from "node:path";
import type { Problem } from "../diagnostics/diagnostic.js";
import { type Json, isObject } from "../json.js";
import type { ParsedFile } from "../yaml/parsed-file.js";
import { FileProblem } from "./file-tree.js";
import type { LoadContext } from "./resolve-spec.js";
import type { ContentForm } from "./special-fields.js";
import { treePath } from "./tree-path.js";

/** What a `{file: path}` came to: the content; or what is wrong with it, here or in that file. */
export type ContentFieldResult =
  | { readonly content: Json }
  | { readonly wrong: Pick<Problem, "code" | "message" | "remedy"> }
  | { readonly file: string; readonly problems: readonly Problem[] };

/** The path that a value names with `{file: path}`, or null when it is something else. */
export function namedFile(value: unknown): string | null {
  return isObject(value) && typeof value["file"] === "string" && Object.keys(value).length === 1 ? value["file"] : null;
}

/**
 * Reads the file of a content field. A policy in YAML becomes an object; every other file stays the text that it is.
 * @param written the path as the manifest has it, relative to the manifest
 * @param manifest relative to the root
 */
export async function readContentField(
  written: string,
  form: ContentForm,
  manifest: string,
  root: string,
  { budget, files }: Pick<LoadContext, "budget" | "files">,
): Promise<ContentFieldResult> {
  let path: string;
  try {
    path = treePath(root, dirname(manifest), written);
  } catch (error) {
    if (error instanceof FileProblem) return { wrong: problemFromFile(error) };
    throw error;
  }
  const found = await files.content(path);
  if ("problem" in found) return { wrong: problemFromFile(found.problem) };
  const excess = budget.spend("contentBytes", Buffer.byteLength(found.text));
  if (excess !== null) return { wrong: { code: "input-too-large", message: excess } };
  if (form !== "policy" || !/^\.ya?ml$/u.test(extname(path))) return { content: found.text };
  return parsePolicyFile(path, files.parsed(path, found.text));
}

function parsePolicyFile(path: string, { documents, problems }: ParsedFile): ContentFieldResult {
  if (problems.length > 0) {
    return {
      file: path,
      problems: problems.map(({ offset, ...problem }) => ({ ...problem, place: { file: path, offset } })),
    };
  }
  const [document, second] = documents;
  if (document === undefined || second !== undefined) {
    const message = `"${path}" holds ${document === undefined ? "nothing" : "more than one document"} where one policy is needed`;
    return { wrong: { code: "policy-json", message } };
  }
  return { content: document.value };
}

function problemFromFile(problem: FileProblem): Pick<Problem, "code" | "message" | "remedy"> {
  const { message, reason, remedy } = problem;
  return { code: reason, message, ...(remedy === null ? {} : { remedy }) };
}
