import { dirname, extname, resolve } from "node:path";
import { type DocumentPath, isSensitive, valueAt, withValueAt } from "../core/document-path.js";
import { type Value, type ValueObject, isObject } from "../core/json.js";
import { Secret, type SecretValue } from "../core/secret.js";
import { type Problem, atOffset } from "../diagnostics/diagnostic.js";
import type { KindName } from "../kinds/names.js";
import { isSource } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import { parseFile } from "../yaml/parse-file.js";
import { FileProblem, treePath } from "./file-tree.js";
import type { LoadRun, ManifestSecrets } from "./load-run.js";
import type { ManifestProblem, ReportProblem } from "./manifest.js";

type SpecContext = Readonly<{
  run: LoadRun;
  file: string;
  report: ReportProblem;
  fileProblems: Problem[];
}>;

export async function resolveSpec(kind: KindName, spec: ValueObject, context: SpecContext): Promise<ValueObject> {
  let result = spec;
  for (const { field, path } of kinds[kind].specFields) {
    const written = valueAt(spec, path) as Value | undefined;
    if (written === undefined) continue;
    const at = ["spec", ...path];
    const named = field.content === undefined ? null : namedFile(written);
    let value: Value = written;
    if (field.secret === true) value = resolveSecret(written, at, context);
    else if (named !== null) value = await readContent(named, field.content === "policy", at, context);
    else if (field.content === "policy" && isObject(written)) value = resolvePolicy(written, at, context);
    if (value !== written) result = withValueAt(result, path, value) as ValueObject;
  }
  return result;
}

export function namedFile(value: unknown): string | null {
  return isObject(value) && typeof value["file"] === "string" && Object.keys(value).length === 1 ? value["file"] : null;
}

async function readContent(
  written: string,
  isPolicy: boolean,
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
    const excess = run.spend(Buffer.byteLength(found.text));
    if (excess !== null) return refuse(excess);
    if (!isPolicy || !/^\.ya?ml$/u.test(extname(path))) return found.text;
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

/** Sources below the policy's phases are wrapped. */
function resolvePolicy(policy: ValueObject, path: DocumentPath, context: SpecContext): Value {
  const refuse = (message: string, at: DocumentPath, sensitive = false): null => {
    const remedy = "Name a variable or a file. If it is no secret, write the policy as a JSON text or in a file.";
    context.report({ code: "secret-source", message, remedy, path: at, sensitive });
    return null;
  };
  const visit = (value: Value, at: DocumentPath): Value => {
    if (isSource(value)) {
      if (at.length <= path.length + 1)
        return refuse("a whole policy or phase can't come from a variable or a file", at);
      if (!("env" in value) || variableName.test(value.env)) return resolveSecret(value, at, context);
      // It may be the secret itself.
      return refuse("this is not the name of an environment variable", [...at, "env"], isSensitive(at));
    }
    if (Array.isArray(value)) return value.map((item: Value, index) => visit(item, [...at, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part = null]) => [name, visit(part, [...at, name])]));
  };
  return visit(policy, path);
}

type Refusal = Omit<ManifestProblem, "path">;

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

function resolveSecret(written: Value, path: DocumentPath, context: SpecContext): Secret | null {
  const found = wrapSecret(written, context);
  if (found === null) return null;
  if ("code" in found) {
    context.report({ ...found, path });
    return null;
  }
  const excess = context.run.register(found);
  if (excess !== null) context.report({ ...excess, path });
  return found;
}

/** Null for what the schema refuses: it may be the secret. */
function wrapSecret(value: unknown, context: SpecContext): Secret | Refusal | null {
  const { allowInlineSecrets, secrets } = context.run.options;
  if (typeof value === "string") {
    if (allowInlineSecrets) return Secret.of(value, "the manifest");
    return { code: "inline-secret", message: "a secret is written into the manifest itself" };
  }
  if (!isObject(value)) return null;
  const { env, file } = value;
  const isVariable = typeof env === "string";
  const name = isVariable ? env : file;
  if (typeof name !== "string" || (isVariable && !variableName.test(name))) return null;
  // A manifest could otherwise send the key anywhere.
  if ((isVariable || secrets !== undefined) && name.toUpperCase() === "EDGEWISE_API_KEY")
    return isApiKey(secrets === undefined ? `the environment variable ${name} holds` : `${name} names`);
  if (secrets !== undefined) return fromStore(isVariable ? "env" : "file", name, secrets);
  return isVariable ? fromEnvironment(name, context) : fromFile(name, context);
}

function isApiKey(what: string): Refusal {
  return { code: "file-is-api-key", message: `${what} the API key` };
}

function fromStore(from: "env" | "file", name: string, store: ManifestSecrets): Secret | Refusal {
  const read = store(from, name);
  if (typeof read !== "function") return { code: "fleet-not-allowed", ...read };
  return new Secret(`${from} ${name}`, () => {
    const found = read();
    return found.available ? filled(found.text, name) : found;
  });
}

function fromEnvironment(name: string, { run }: SpecContext): Secret | Refusal {
  const { env } = run.options;
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (text !== undefined && run.holdsApiKey(text)) return isApiKey(`the environment variable ${name} holds`);
  const source = `env ${name}`;
  if (text !== undefined && text !== "") return Secret.of(text, source);
  return Secret.unavailable(source, `the environment variable ${name} is ${text === "" ? "empty" : "not set"}`);
}

function fromFile(path: string, { file, run }: SpecContext): Secret | Refusal {
  const { tree } = run.options;
  if (path.includes("\0"))
    return { code: "secret-source", message: `${JSON.stringify(path)} is not a valid file name` };
  const absolute = secretPath(tree.root, file, path);
  if (run.isApiKeyFile(absolute)) return isApiKey(`"${path}" is the file that holds`);
  const writable = tree.secretAccess?.(absolute).error ?? null;
  if (writable !== null) return { code: "secret-file-writable", message: `"${path}" ${writable}` };
  return new Secret(`file ${path}`, () => {
    const found = tree.readSecret(absolute);
    if (!found.available) return { available: false, reason: `"${path}": ${found.reason}` };
    if (run.holdsApiKey(found.text)) return { available: false, reason: `"${path}" holds the API key` };
    return filled(found.text, path);
  });
}

export function secretPath(root: string, manifest: string, written: string): string {
  return resolve(root, dirname(manifest), written);
}

/** Without the newline that editors add. */
function filled(read: string, name: string): SecretValue {
  const text = read.includes("-----BEGIN ") ? read : read.replace(/\r?\n$/u, "");
  return text === "" ? { available: false, reason: `"${name}": it is empty` } : { available: true, text };
}
