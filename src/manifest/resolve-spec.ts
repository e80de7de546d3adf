import { dirname, extname } from "node:path";
import { type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { type DocumentPath, isSensitive, valueAt, withValueAt } from "../core/document-path.js";
import { type Value, type ValueObject, isObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { ContentForm, SpecField } from "../kinds/kind.js";
import type { KindName } from "../kinds/names.js";
import { isSource } from "../kinds/policy/secret-places.js";
import { kinds } from "../kinds/registry.js";
import { parseFile } from "../yaml/parse-file.js";
import { FileProblem, treePath } from "./file-tree.js";
import type { SpecContext } from "./load-run.js";
import { resolveSecret, variableName } from "./secret-sources.js";

/**
 * Reads the files that a spec names with `{file}`, and wraps its secrets. The spec may break its schema. What could not
 * be resolved is null, and reported.
 */
export async function resolveSpec(kind: KindName, spec: ValueObject, context: SpecContext): Promise<ValueObject> {
  let result = spec;
  for (const place of kinds[kind].specFields) {
    const written = valueAt(spec, place.path) as Value | undefined;
    if (written === undefined) continue;
    const value = await resolveField(place, written, context);
    if (value !== written) result = withValueAt(result, place.path, value) as ValueObject;
  }
  return result;
}

async function resolveField({ field, path }: SpecField, written: Value, context: SpecContext): Promise<Value> {
  const at = ["spec", ...path];
  if (field.secret === true) return resolveSecretAt(written, at, context);
  if (field.content === undefined) return written;
  const named = namedFile(written);
  if (named !== null) return readContent(named, field.content, at, context);
  return field.content === "policy" && isObject(written) ? resolvePolicy(written, at, context) : written;
}

function resolveSecretAt(written: Value, path: DocumentPath, context: SpecContext): Secret | null {
  const found = resolveSecret(written, context);
  if (found === null) return null;
  if ("code" in found) {
    context.report({ ...found, path });
    return null;
  }
  const excess = context.run.register(found);
  if (excess !== null) context.report({ code: "input-too-large", message: excess, path });
  return found;
}

/** The path that a value names with `{file: path}`; null for any other value. */
export function namedFile(value: unknown): string | null {
  return isObject(value) && typeof value["file"] === "string" && Object.keys(value).length === 1 ? value["file"] : null;
}

/**
 * The content of a file for a field. A policy in YAML becomes an object; every other file stays text.
 * @param written relative to the manifest
 */
async function readContent(
  written: string,
  form: ContentForm,
  at: DocumentPath,
  { file, fileProblems, report, run }: SpecContext,
): Promise<Value> {
  const refuse = (problem: Pick<Problem, "code" | "message" | "remedy">): null => {
    report({ ...problem, path: [...at, "file"] });
    return null;
  };
  try {
    const path = treePath(run.options.tree.root, dirname(file), written);
    const found = await run.content(path);
    if ("problem" in found) return refuse(found.problem.toProblem());
    const excess = run.spend("contentBytes", Buffer.byteLength(found.text));
    if (excess !== null) return refuse({ code: "input-too-large", message: excess });
    if (form !== "policy" || !/^\.ya?ml$/u.test(extname(path))) return found.text;
    const { documents, problems } = parseFile(found.text);
    fileProblems.push(...problems.map((problem) => atOffset(problem, path)));
    if (problems.length > 0) return null;
    const [document, second] = documents;
    if (document !== undefined && second === undefined) return document.value;
    const held = document === undefined ? "is empty" : "holds more than one document";
    return refuse({ code: "policy-json", message: `"${path}" ${held}, but one policy is needed` });
  } catch (error) {
    if (error instanceof FileProblem) return refuse(error.toProblem());
    throw error;
  }
}

const sourceRemedy =
  "Name an environment variable or a file. If the policy's own configuration looks like {env: …} or {file: …}, write the policy as a JSON text or in a file.";

/** A policy with each `{env: NAME}` and `{file: path}` below its phases wrapped. @param path of the policy in its document */
function resolvePolicy(policy: ValueObject, path: DocumentPath, context: SpecContext): Value {
  const refuse = (message: string, at: DocumentPath, sensitive = false): null => {
    context.report({ code: "secret-source", message, remedy: sourceRemedy, path: at, sensitive });
    return null;
  };
  const visit = (value: Value, at: DocumentPath): Value => {
    if (isSource(value)) {
      if (at.length <= path.length + 1)
        return refuse("a whole policy or phase can't come from a variable or a file", at);
      if (!("env" in value) || variableName.test(value.env)) return resolveSecretAt(value, at, context);
      // It may be the secret itself.
      return refuse("this is not the name of an environment variable", [...at, "env"], isSensitive(at));
    }
    if (Array.isArray(value)) return value.map((item: Value, index) => visit(item, [...at, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part = null]) => [name, visit(part, [...at, name])]));
  };
  return visit(policy, path);
}
