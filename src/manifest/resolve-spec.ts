import { dirname, extname, posix } from "node:path";
import { type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { type DocumentPath, isSensitive } from "../core/document-path.js";
import { type Value, type ValueObject, isObject } from "../core/json.js";
import type { ContentForm } from "../kinds/kind.js";
import type { KindName } from "../kinds/names.js";
import { secretsIn, isSource } from "../kinds/policy/secret-places.js";
import type { Secret } from "../core/secret.js";
import type { ParsedFile } from "../yaml/parsed-file.js";
import { FileProblem, treePath } from "./file-tree.js";
import { similarPath } from "./find-files.js";
import type { SpecContext } from "./load-run.js";
import { resolveSecretField, secretPath, variableName } from "./secret-fields.js";
import { type SpecField, resolvedFieldsOf, specValueAt } from "./spec-fields.js";

/** A spec with its files read and its secrets wrapped. */
export interface ResolvedSpec {
  /** Fields that could not be resolved are null. */
  readonly spec: ValueObject;
  /** Problems inside the files that it names. */
  readonly fileProblems: readonly Problem[];
}

/** Reads the files that a spec names with `{file}`, and wraps its secrets. The spec may break its schema. */
export async function resolveSpec(kind: KindName, spec: ValueObject, context: SpecContext): Promise<ResolvedSpec> {
  const { secrets, tree } = context.run.options;
  if (secrets === undefined)
    await tree.prepareSecrets?.(namedFilesIn(spec).map((written) => secretPath(tree, context.file, written)));
  let result = spec;
  const fileProblems: Problem[] = [];
  for (const field of resolvedFieldsOf(kind)) {
    const written = specValueAt(spec, field.path);
    if (written === undefined) continue;
    const { problems = [], value } = await resolveField(field, written as Value, context);
    fileProblems.push(...problems);
    if (value !== written) result = withField(result, field.path, value);
  }
  return { spec: result, fileProblems };
}

/** Every path that a `{file}` names, at any depth. */
function namedFilesIn(value: unknown): readonly string[] {
  const named = namedFile(value);
  if (named !== null) return named.includes("\0") ? [] : [named];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(namedFilesIn) : [];
}

interface ResolvedField {
  /** Null when the field could not be resolved. */
  readonly value: Value;
  /** Problems inside the file that it names. */
  readonly problems?: readonly Problem[];
}

async function resolveField(
  { field, inDocument: path }: SpecField,
  written: Value,
  context: SpecContext,
): Promise<ResolvedField> {
  const { report } = context;
  if (field.secret === true) {
    const found = resolveSecretField(written, context);
    if ("code" in found) {
      report({ ...found, path });
      return { value: null };
    }
    registerSecret(found.secret, path, context);
    return { value: found.secret };
  }
  const form = field.content;
  if (form === undefined) return { value: written };
  const named = namedFile(written);
  if (named === null) {
    return { value: form === "policy" ? resolvePolicy(written, path, context) : written };
  }
  const found = await readContentField(named, form, context);
  if ("wrong" in found) {
    report({ ...found.wrong, path: [...path, "file"] });
    return { value: null };
  }
  return found;
}

function registerSecret(secret: Secret | null, path: DocumentPath, { report, run }: SpecContext): void {
  const excess = run.register(secret);
  if (excess !== null) report({ code: "input-too-large", message: excess, path });
}

function withField(spec: ValueObject, [field, member]: SpecField["path"], value: Value): ValueObject {
  if (member === undefined) return { ...spec, [field]: value };
  const module = spec[field];
  return isObject(module) ? { ...spec, [field]: { ...module, [member]: value } } : spec;
}

/** The path that a value names with `{file: path}`; null for any other value. */
export function namedFile(value: unknown): string | null {
  return isObject(value) && typeof value["file"] === "string" && Object.keys(value).length === 1 ? value["file"] : null;
}

/**
 * Reads the file of a content field. A policy in YAML becomes an object; every other file stays text.
 * @param written the path as it is in the manifest, relative to the manifest
 */
async function readContentField(
  written: string,
  form: ContentForm,
  context: SpecContext,
): Promise<ResolvedField | { readonly wrong: Pick<Problem, "code" | "message" | "remedy"> }> {
  const { file, run } = context;
  let path: string;
  try {
    path = treePath(run.options.tree.root, dirname(file), written);
  } catch (error) {
    if (error instanceof FileProblem) return { wrong: error.toProblem() };
    throw error;
  }
  const found = await run.content(path);
  if ("problem" in found)
    return { wrong: { ...found.problem.toProblem(), ...(await meantBy(written, path, file, context)) } };
  const excess = run.spend("contentBytes", Buffer.byteLength(found.text));
  if (excess !== null) return { wrong: { code: "input-too-large", message: excess } };
  if (form !== "policy" || !/^\.ya?ml$/u.test(extname(path))) return { value: found.text };
  return policyIn(path, run.parsed(path, found.text));
}

/** So many missing files are looked for under similar names: for each one, a directory is read. */
const mostLookedFor = 20;

/** For a missing file: what was most likely meant, such as a path that is relative to the root and not to the manifest. */
async function meantBy(
  written: string,
  path: string,
  manifest: string,
  { run }: SpecContext,
): Promise<{ readonly remedy?: string }> {
  if (/^~|^[A-Za-z]:|\\/u.test(written)) return { remedy: "Write the path relative to the manifest, with slashes." };
  const { tree } = run.options;
  try {
    const fromRoot = written.startsWith("..") ? path : treePath(tree.root, "", written);
    if ((await tree.stat(path)) !== null || run.missingFiles++ >= mostLookedFor) return {};
    const isFromRoot = fromRoot !== path && (await tree.stat(fromRoot)) === "file";
    const near = isFromRoot ? fromRoot : await similarPath(tree, path);
    if (near === null) return {};
    const why = isFromRoot ? " Paths are relative to the manifest." : "";
    return { remedy: `Did you mean {file: ${posix.relative(dirname(manifest), near)}}?${why}` };
  } catch (error) {
    if (error instanceof FileProblem) return {};
    throw error;
  }
}

function policyIn(
  path: string,
  { documents, problems }: ParsedFile,
): ResolvedField | { readonly wrong: Pick<Problem, "code" | "message"> } {
  if (problems.length > 0) return { value: null, problems: problems.map((problem) => atOffset(problem, path)) };
  const [document, second] = documents;
  if (document !== undefined && second === undefined) return { value: document.value };
  const held = document === undefined ? "is empty" : "holds more than one document";
  return { wrong: { code: "policy-json", message: `"${path}" ${held}, but one policy is needed` } };
}

/** The value of a policy field that names no file: an object with sources of secrets, or a text without. */
function resolvePolicy(written: Value, path: DocumentPath, context: SpecContext): Value {
  if (!isObject(written)) return written;
  const policy = resolvePolicySources(written, path, context);
  for (const secret of secretsIn(policy)) registerSecret(secret, path, context);
  return policy;
}

const sourceRemedy =
  "Name an environment variable or a file. If the policy's own configuration looks like {env: …} or {file: …}, write the policy as a JSON text or in a file.";

/** Wraps each `{env: NAME}` and `{file: path}` below the phases of a policy. @param path of the policy in its document */
function resolvePolicySources(policy: ValueObject, path: DocumentPath, context: SpecContext): Value {
  const refuse = (message: string, remedy: string, at: DocumentPath, sensitive = false): null => {
    context.report({ code: "secret-source", message, remedy, path: at, sensitive });
    return null;
  };
  const visit = (value: Value, at: DocumentPath): Value => {
    if (namesBoth(value)) return refuse("name env or file, not both", sourceRemedy, at);
    if (isSource(value)) {
      if (at.length === path.length)
        return refuse("a whole policy can't come from a variable", "Write it here, or name a {file: …}.", at);
      if (at.length === path.length + 1) {
        const message = `the phase ${JSON.stringify(at.at(-1))} can't come from a variable or a file`;
        return refuse(message, "Write the phase's list of rules, with {env: …} or {file: …} inside it.", at);
      }
      if ("env" in value && !variableName.test(value.env)) {
        // It may be the secret itself.
        const sensitive = isSensitive(at);
        const named = sensitive ? "this" : JSON.stringify(value.env);
        const message = `${named} is not the name of an environment variable`;
        return refuse(message, sourceRemedy, [...at, "env"], sensitive);
      }
      const found = resolveSecretField(value, context);
      if (!("code" in found)) return found.secret;
      context.report({ ...found, path: at });
      return null;
    }
    if (Array.isArray(value)) return value.map((item: Value, index) => visit(item, [...at, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part = null]) => [name, visit(part, [...at, name])]));
  };
  return visit(policy, path);
}

/** Whether an object has just the two members `env` and `file`. */
function namesBoth(value: Value): boolean {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  return typeof value["env"] === "string" && typeof value["file"] === "string";
}
