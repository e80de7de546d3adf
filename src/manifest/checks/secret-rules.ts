import { type DocumentPath, showPath, valueAt } from "../../core/document-path.js";
import type { Value } from "../../core/json.js";
import { MASK, Secret, isSecretLabel } from "../../core/secret.js";
import { claimText } from "../../kinds/kind.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { mapSecrets } from "../../kinds/policy/secret-places.js";
import { kinds } from "../../kinds/registry.js";
import { shortestSecret } from "../../redact.js";
import type { LoadOptions } from "../load-options.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";
import { secretPath } from "../secret-sources.js";
import { pathInPolicy, policyFieldsOf } from "./policies.js";

/** The secret fields of a manifest: what is written there, and what became of it. */
function secretFieldsOf({ kind, spec, value }: ParsedManifest) {
  return kinds[kind].specFields
    .filter(({ field }) => field.secret === true)
    .map(({ path }) => ({
      path: ["spec", ...path],
      written: valueAt(value["spec"], path),
      secret: valueAt(spec, path),
    }));
}

/** Secrets can be read here. Only deep checks read them, and not when the plan says what is missing. */
export const secretsAvailable: ManifestCheck = (manifest, report, { deep, plansUnavailable }) => {
  if (!deep || plansUnavailable === true) return;
  for (const { path, secret } of secretFieldsOf(manifest))
    if (secret instanceof Secret && secret.missing !== null)
      report({ code: "secret-unavailable", message: secret.missing, path });
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

/** No file with a secret is readable by others. Reported once for each file, however many manifests name it. */
export const secretFiles: StackCheck = (manifests, reportFor, options) => {
  if (options.secrets !== undefined) return;
  const seen = new Set<string>();
  for (const manifest of manifests) {
    for (const { path, secret } of secretFieldsOf(manifest)) {
      const file = secret instanceof Secret ? fileOf(secret, manifest, options) : null;
      if (!(secret instanceof Secret) || file === null || seen.has(file)) continue;
      seen.add(file);
      const warning = options.tree.secretAccess?.(file).warning ?? null;
      const message = `"${secret.source.slice("file ".length)}" ${warning}`;
      if (warning !== null) reportFor(manifest)({ code: "secret-file-exposed", message, path });
    }
  }
};

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

/** Secrets are nothing that outputs have to show, and can be found in what a service says. */
export const secretTexts: StackCheck = (manifests, reportFor, options) => {
  if (!options.deep) return;
  let shown: ReadonlySet<string> | null = null;
  for (const manifest of manifests) {
    const report = reportFor(manifest);
    for (const { path, secret } of secretsAt(manifest.spec, ["spec"])) {
      const file = fileOf(secret, manifest, options);
      if (file !== null && options.tracked?.has(file) === true) {
        const message = `the ${secret.source} is tracked by Git, where every reader has it`;
        report({ code: "inline-secret", message, remedy: trackedRemedy, path });
      }
      if (secret.missing !== null) continue;
      const text = secret.reveal();
      const unfit =
        text.length < shortestSecret
          ? `the secret has fewer than ${shortestSecret} characters, too few to be masked in outputs`
          : (shown ??= namesOf(manifests)).has(text)
            ? "the secret is an address, a name or a hostport, which outputs have to show"
            : null;
      if (unfit !== null) report({ code: "secret-unfit", message: unfit, path });
    }
  }
};

const trackedRemedy =
  "Change the secret, and put it into a file that Git ignores or into an environment variable. --allow-inline-secrets accepts it.";

/**
 * The text that outputs and exports show in place of a secret is never sent as one. In a policy it is refused
 * everywhere: a value may be secret under any name.
 */
export const maskedSecrets: ManifestCheck = (manifest, report) => {
  const refuse = (path: DocumentPath): void =>
    report({ code: "masked-secret", message: `${showPath(path)} is written as ${MASK}`, path });
  for (const { path, written } of secretFieldsOf(manifest))
    if (typeof written === "string" && isSecretLabel(written)) refuse(path);
  for (const policy of policyFieldsOf(manifest)) {
    const found = labelsIn(policy.document ?? policy.value);
    for (const at of policy.isInline ? found : found.slice(0, 1)) refuse(pathInPolicy(policy, at));
  }
};

function labelsIn(value: unknown, path: DocumentPath = []): readonly DocumentPath[] {
  if (typeof value === "string") return isSecretLabel(value) ? [path] : [];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  const parts = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return parts.flatMap(([step, part]) => labelsIn(part, [...path, step]));
}

/** Configuration of a policy may look like a source: `metadata: {env: prod}`. */
const unavailableRemedy =
  "Make it available where `edgewise apply` runs. If it is configuration of the policy itself, write the policy as a JSON text or in a file.";

const inClearRemedy =
  "Write the policy into the manifest as an object, with {env: NAME} or {file: path} in place of each secret. If it is a secret, change it: it may already be in the repository's history.";

/** Secrets in traffic policies come from the environment or a file. Deep checks also make sure that they can be read. */
export const policySecrets: ManifestCheck = (manifest, report, { deep, plansUnavailable }) => {
  for (const { document, file, isInline, path } of policyFieldsOf(manifest)) {
    if (document === undefined || document === null) continue;
    const inClear: DocumentPath[] = [];
    // A spec holds only JSON and wrapped secrets.
    mapSecrets(document as Value, (secret, at, named) => {
      const place = [...path, ...at];
      if (!(secret instanceof Secret)) {
        // A mask is reported by `maskedSecrets`.
        if (typeof secret !== "string" || !isSecretLabel(secret)) inClear.push(at);
        return secret;
      }
      if (deep && plansUnavailable !== true && secret.missing !== null)
        report({ code: "secret-unavailable", message: secret.missing, remedy: unavailableRemedy, path: place });
      if (deep && !named) {
        const message = `${showPath(at)} of the policy takes a secret, but its name does not look like one: once the manifest no longer names the source, plans will show the live value`;
        report({ code: "policy-secret-name", message, path: place });
      }
      return secret;
    });
    const where = file === null ? "the policy" : JSON.stringify(file);
    for (const [index, at] of inClear.entries()) {
      const message = `${showPath(at)} of ${where} contains a secret in plain text`;
      if (isInline) report({ code: "policy-secret", message, path: [...path, ...at], sensitive: true });
      else if (index === 0)
        report({ code: "policy-secret", message, remedy: inClearRemedy, path, sensitive: file === null });
    }
  }
};
