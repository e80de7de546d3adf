import { type Json, type Value, isObject } from "../../core/json.js";
import { claimText } from "../../kinds/kind.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { kinds } from "../../kinds/registry.js";
import { type DocumentPath, showPath } from "../../core/document-path.js";
import { mapSecrets } from "../../kinds/policy/secret-places.js";
import { MASK, Secret, isSecretLabel } from "../../core/secret.js";
import { shortestSecret } from "../../redact.js";
import type { LoadOptions } from "../load-options.js";
import type { ManifestCheck, ParsedManifest, PolicyField, StackCheck } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { secretPath } from "../secret-fields.js";
import { secretsOf, specValueAt } from "../spec-fields.js";
import { pathInPolicy, policyDocument } from "./policies.js";

/** Secrets can be read here. Only deep checks read them, and not when the plan says what is missing. */
export const secretsAvailable: ManifestCheck = ({ kind, spec }, report, { deep, plansUnavailable, secrets }) => {
  if (!deep || plansUnavailable === true) return;
  for (const { inDocument, path } of secretsOf(kind)) {
    const value = specValueAt(spec, path);
    if (!(value instanceof Secret) || value.missing === null) continue;
    const remedy = secrets === undefined ? remedyFor(value.source, value.missing) : null;
    const words = remedy === null ? {} : { remedy };
    report({ code: "secret-unavailable", message: value.missing, ...words, path: inDocument });
  }
};

/** What to do about a secret that can't be read here. @param missing why, as {@link Secret.missing} says it */
function remedyFor(source: string, missing: string): string | null {
  if (!source.startsWith("file ")) return "Set it where `edgewise apply` runs.";
  if (!missing.endsWith("there is no such file")) return null;
  return "Put it there before `edgewise apply` runs, or correct the path, which is relative to the manifest.";
}

/** No file with a secret is readable by others. Reported once for each file, however many manifests name it. */
export const secretFiles: StackCheck = (_manifests, reportFor, { secrets, tree }) => {
  if (secrets !== undefined) return null;
  const seen = new Set<string>();
  return (manifest) => {
    const spec = manifest.value["spec"];
    if (!isObject(spec)) return;
    for (const { inDocument, path } of secretsOf(manifest.kind)) {
      const written = namedFile(specValueAt(spec, path));
      if (written === null) continue;
      const file = secretPath(tree, manifest.file, written);
      if (seen.has(file)) continue;
      seen.add(file);
      const warning = tree.secretAccess?.(file).warning ?? null;
      if (warning === null) continue;
      reportFor(manifest)({ code: "secret-file-exposed", message: `"${written}" ${warning}`, path: inDocument });
    }
  };
};

/** The secrets in a spec with their paths: of fields, and of single values in policies. */
function* secretsAt(value: Value | undefined, path: DocumentPath): Generator<{ secret: Secret; path: DocumentPath }> {
  if (value instanceof Secret) yield { secret: value, path };
  else if (typeof value === "object" && value !== null)
    for (const [step, part] of Object.entries(value)) yield* secretsAt(part, [...path, step]);
}

/** The absolute path of the file that a secret comes from; null when it comes from elsewhere. */
function fileOf({ source }: Secret, { file }: ParsedManifest, { tree }: Pick<LoadOptions, "tree">): string | null {
  return source.startsWith("file ") ? secretPath(tree, file, source.slice("file ".length)) : null;
}

/** The files of secrets that Git tracks. Git is not asked where that is accepted, or no file is named. */
export async function trackedSecrets(
  manifests: readonly ParsedManifest[],
  options: LoadOptions,
): Promise<ReadonlySet<string>> {
  const { allowInlineSecrets, deep, secrets, trackedFiles } = options;
  if (!deep || allowInlineSecrets || secrets !== undefined || trackedFiles === undefined) return new Set();
  const files = manifests.flatMap((manifest) =>
    [...secretsAt(manifest.spec, [])].flatMap(({ secret }) => fileOf(secret, manifest, options) ?? []),
  );
  return files.length === 0 ? new Set() : trackedFiles([...new Set(files)]);
}

/** What outputs have to show of manifests, whatever it is. */
function namesOf(manifests: readonly ParsedManifest[]): ReadonlySet<string> {
  return new Set(
    manifests.flatMap(({ address, kind, name, spec, valid }) => {
      const claims = valid ? (kinds[kind].claims?.(specFromManifest(kinds[kind], spec)) ?? []) : [];
      return [address, name, ...claims.map(claimText)];
    }),
  );
}

const trackedRemedy =
  "Change the secret, and put it into a file that Git ignores or into an environment variable. --allow-inline-secrets accepts it.";

/** Secrets are nothing that outputs have to show, and can be found in what a service says. */
export const secretTexts: StackCheck = (manifests, reportFor, options) => {
  if (!options.deep) return null;
  let shown: ReadonlySet<string> | null = null;
  return (manifest) => {
    const report = reportFor(manifest);
    for (const { path, secret } of secretsAt(manifest.spec, ["spec"])) {
      const file = fileOf(secret, manifest, options);
      if (file !== null && options.tracked?.has(file) === true)
        report({
          code: "inline-secret",
          message: `the ${secret.source} is tracked by Git, where every reader has it`,
          remedy: trackedRemedy,
          path,
        });
      if (secret.missing !== null) continue;
      const text = secret.reveal();
      if (text.length < shortestSecret)
        report({
          code: "secret-unfit",
          message: `the secret has fewer than ${shortestSecret} characters, too few to be masked in outputs`,
          path,
        });
      else if ((shown ??= namesOf(manifests)).has(text))
        report({
          code: "secret-unfit",
          message: "the secret is an address, a name or a hostport, which outputs have to show",
          path,
        });
    }
  };
};

/**
 * The text that outputs and exports show in place of a secret is never sent as one. In a policy it is refused
 * everywhere: a value may be secret under any name.
 */
export const maskedSecrets: ManifestCheck = (manifest, report, _options, policies) => {
  for (const { inDocument, path } of secretsOf(manifest.kind)) {
    const written = specValueAt(manifest.value["spec"], path);
    if (typeof written !== "string" || !isSecretLabel(written)) continue;
    report({ code: "masked-secret", message: `the secret is written as ${MASK}`, path: inDocument });
  }
  for (const field of policies) {
    for (const at of labelsIn(policyDocument(field) ?? field.value)) {
      const message = `${at.length === 0 ? "all" : showPath(at)} of ${nameOf(field)} is written as ${MASK}`;
      report({ code: "masked-secret", message, path: pathInPolicy(field, at) });
      if (!field.isInline) break;
    }
  }
};

function labelsIn(value: unknown, path: DocumentPath = []): readonly DocumentPath[] {
  if (typeof value === "string") return isSecretLabel(value) ? [path] : [];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => labelsIn(item, [...path, index]));
  return Object.entries(value).flatMap(([member, part]) => labelsIn(part, [...path, member]));
}

/** Configuration of a policy may look like a source: `metadata: {env: prod}`. */
const unavailableRemedy =
  "Make it available where `edgewise apply` runs. If it is configuration of the policy itself, write the policy as a JSON text or in a file.";

const inClearRemedy =
  "Write the policy into the manifest as an object, with {env: NAME} or {file: path} in place of each secret. If it is a secret, change it: it may already be in the repository's history.";

/** Secrets in traffic policies come from the environment or a file. Deep checks also make sure that they can be read. */
export const policySecrets: ManifestCheck = (_manifest, report, { deep, plansUnavailable }, policies) => {
  for (const field of policies) {
    const document = policyDocument(field);
    if (document === undefined || document === null) continue;
    const { file, isInline, path } = field;
    const inClear: DocumentPath[] = [];
    // A spec holds only JSON and wrapped secrets.
    mapSecrets(document as Value, (secret, at, named) => {
      if (!(secret instanceof Secret)) {
        // A mask is reported by `maskedSecrets`.
        if (typeof secret !== "string" || !isSecretLabel(secret)) inClear.push(at);
        return secret;
      }
      const place = [...path, ...at];
      if (deep && plansUnavailable !== true && secret.missing !== null)
        report({ code: "secret-unavailable", message: secret.missing, remedy: unavailableRemedy, path: place });
      if (deep && !named) {
        const message = `${showPath(at)} of the policy takes a secret, but its name does not look like one: once the manifest no longer names the source, plans will show the live value`;
        report({ code: "policy-secret-name", message, path: place });
      }
      return secret;
    });
    const [first] = inClear;
    if (first === undefined) continue;
    if (isInline) {
      for (const at of inClear) {
        const message = `${showPath(at)} of the policy contains a secret in plain text`;
        report({ code: "policy-secret", message, path: [...path, ...at], sensitive: true });
      }
      continue;
    }
    const more = inClear.length === 1 ? "" : ` (and ${inClear.length - 1} more)`;
    const where = `${showPath(first)} of ${nameOf(field)}`;
    const message = isSource(document, first)
      ? `${where} names the source of a secret${more}, which works only in a policy that is an object in the manifest; here it is sent as it is`
      : `${where} contains a secret in plain text${more}`;
    report({ code: "policy-secret", message, remedy: inClearRemedy, path, sensitive: file === null });
  }
};

function nameOf({ file }: PolicyField): string {
  return file === null ? "the policy" : JSON.stringify(file);
}

/** Whether a path ends in an object that would be a source in a manifest. */
function isSource(document: unknown, path: DocumentPath): boolean {
  const last = path.at(-1);
  if (last !== "env" && last !== "file") return false;
  let value = document as Json | undefined;
  for (const step of path.slice(0, -1)) value = Reflect.get(Object(value), step) as Json | undefined;
  return typeof value === "object" && value !== null && Object.keys(value).length === 1;
}
