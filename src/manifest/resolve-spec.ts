import { dirname, extname } from "node:path";
import type { Problem } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../document-path.js";
import { type Json, type Value, type ValueObject, isObject } from "../json.js";
import type { KindName } from "../kinds/names.js";
import { secretsIn } from "../kinds/policy/secret-places.js";
import { isSource } from "../kinds/policy/source-places.js";
import type { Secret } from "../secret.js";
import type { ParsedFile } from "../yaml/parsed-file.js";
import type { FileCache, ReadBudget } from "./file-cache.js";
import { FileProblem, treePath } from "./file-tree.js";
import type { LoadOptions } from "./load-options.js";
import type { ManifestProblem } from "./parsed-manifest.js";
import { type ApiKeys, type NamedSecrets, resolveSecretField } from "./secret-fields.js";
import { type ContentForm, type SpecField, specFieldsOf, specValueAt } from "./spec-fields.js";

/** What the manifests of one run share. */
export interface LoadContext {
  readonly options: LoadOptions;
  readonly files: FileCache;
  readonly apiKeys: ApiKeys;
  readonly secrets: NamedSecrets;
  readonly budget: ReadBudget;
}

/** A spec with its files read and its secrets wrapped. */
export interface ResolvedSpec {
  /** Fields that could not be resolved are null. */
  readonly spec: ValueObject;
  readonly findings: readonly ManifestProblem[];
  /** Problems inside the files that it names. */
  readonly elsewhere: readonly Problem[];
}

/**
 * Reads what a spec names with `{file}` and wraps its secrets. The spec may break its schema.
 * @param file the manifest, relative to the root
 */
export async function resolveSpec(
  kind: KindName,
  spec: ValueObject,
  file: string,
  loading: LoadContext,
): Promise<ResolvedSpec> {
  const findings: ManifestProblem[] = [];
  const elsewhere: Problem[] = [];
  let result = spec;
  const learn = (secret: Secret | null, path: DocumentPath): void => {
    const excess = loading.budget.spend("secretCharacters", loading.secrets.register(secret));
    if (excess !== null) findings.push({ code: "input-too-large", message: excess, path });
  };
  for (const place of specFieldsOf(kind)) {
    const written = specValueAt(spec, place.path);
    if (written === undefined) continue;
    const path = ["spec", ...place.path];
    if (place.field.secret === true) {
      const found = resolveSecretField(written, file, loading.options, loading.apiKeys);
      if ("code" in found) findings.push({ ...found, path });
      else learn(found.secret, path);
      result = withField(result, place.path, "code" in found ? null : found.secret);
      continue;
    }
    const form = place.form;
    const named = form === null ? null : namedFile(written);
    if (form === "policy" && named === null && isObject(written)) {
      const found = resolvePolicySources(written as ValueObject, path, file, loading);
      findings.push(...found.findings);
      for (const secret of secretsIn(found.policy)) learn(secret, path);
      loading.secrets.registerClearTexts(found.policy);
      if (found.policy !== written) result = withField(result, place.path, found.policy);
      continue;
    }
    if (form === "policy" && typeof written === "string") loading.secrets.registerClearTexts(written);
    if (form === null || named === null) continue;
    const found = await readContentField(named, form, file, loading.options.tree.root, loading);
    if ("wrong" in found) findings.push({ ...found.wrong, path: [...path, "file"] });
    if ("problems" in found) elsewhere.push(...found.problems);
    const content = "content" in found ? found.content : null;
    if (form === "policy") loading.secrets.registerClearTexts(content);
    result = withField(result, place.path, content);
  }
  return { spec: result, findings, elsewhere };
}

function withField(spec: ValueObject, [field, member]: SpecField["path"], value: Value): ValueObject {
  if (member === undefined) return { ...spec, [field]: value };
  const module = spec[field];
  return isObject(module) ? { ...spec, [field]: { ...module, [member]: value } } : spec;
}

/** What a `{file: path}` came to: the content; or what is wrong with it, here or in that file. */
type ContentFieldResult =
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
async function readContentField(
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

/** The name of an environment variable, as the schema has it for other secrets. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

const sourceRemedy =
  "Name an environment variable or a file. A policy whose own configuration looks like {env: …} or {file: …} is written as a JSON text, or in a file.";

/** What a policy names, wrapped, and what is wrong with it. */
interface ResolvedPolicy {
  /** The policy itself when it names nothing. */
  readonly policy: ValueObject;
  readonly findings: readonly ManifestProblem[];
}

/**
 * Wraps each `{env: NAME}` and `{file: path}` that stands below the phases of a policy. Nothing is read, but to make
 * sure that it is not the API key.
 * @param path where the policy stands in its document
 * @param file the manifest, relative to the root
 */
function resolvePolicySources(
  policy: ValueObject,
  path: DocumentPath,
  file: string,
  { apiKeys, options }: { readonly options: LoadOptions; readonly apiKeys: ApiKeys },
): ResolvedPolicy {
  const findings: ManifestProblem[] = [];
  const source = (value: { readonly env: string } | { readonly file: string }, at: DocumentPath): Value => {
    if ("env" in value && !variableName.test(value.env)) {
      const message = `${JSON.stringify(value.env)} is not the name of an environment variable`;
      findings.push({ code: "secret-source", message, remedy: sourceRemedy, path: [...at, "env"] });
      return null;
    }
    const found = resolveSecretField(value, file, options, apiKeys);
    if (!("code" in found)) return found.secret;
    findings.push({ ...found, path: at });
    return null;
  };
  const misplaced = (message: string, advice: string, at: DocumentPath): null => {
    findings.push({ code: "secret-source", message, remedy: advice, path: at });
    return null;
  };
  const visit = (value: Value, at: DocumentPath): Value => {
    if (isSource(value)) {
      if (at.length > path.length + 1) return source(value, at);
      const message = `the phase ${JSON.stringify(at.at(-1))} can't come from a variable or a file`;
      return misplaced(message, "Write the phase's list of rules, with {env: …} or {file: …} in it.", at);
    }
    if (namesBoth(value)) return misplaced("name env or file, not both", sourceRemedy, at);
    if (Array.isArray(value)) return mapKeepingIdentity(value, (item: Value, index) => visit(item, [...at, index]));
    return isObject(value) ? members(value, at) : value;
  };
  const members = (object: ValueObject, at: DocumentPath): ValueObject => {
    const entries = Object.entries(object);
    const visited = mapKeepingIdentity(entries, (entry, _index): readonly [string, Value | undefined] => {
      const [name, member = null] = entry;
      const result = visit(member, [...at, name]);
      return result === member ? entry : [name, result];
    });
    return visited === entries ? object : Object.fromEntries(visited);
  };
  const whole = isSource(policy) && "env" in policy;
  if (whole || namesBoth(policy)) {
    const message = whole ? "a whole policy can't come from a variable" : "name a file alone, or write the policy here";
    misplaced(message, "Use {file: …} for the whole policy, or write it here with {env: …} inside it.", path);
    return { policy: {}, findings };
  }
  return { policy: members(policy, path), findings };
}

/** Whether an object names a variable and a file, and nothing else. */
function namesBoth(value: Value): boolean {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  return typeof value["env"] === "string" && typeof value["file"] === "string";
}

/** A list with every item replaced; the list itself when no item is. */
function mapKeepingIdentity<T>(items: readonly T[], replace: (item: T, index: number) => T): readonly T[] {
  let result: T[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = replace(item, index);
    if (next === item) continue;
    result ??= [...items];
    result[index] = next;
  }
  return result ?? items;
}
