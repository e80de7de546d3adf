import { type DocumentPath, showPath, valueAt } from "../../core/document-path.js";
import type { Value } from "../../core/json.js";
import { MASK, Secret, isSecretLabel } from "../../core/secret.js";
import { claimText } from "../../kinds/kind.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { mapSecrets } from "../../kinds/policy.js";
import { kinds } from "../../kinds/registry.js";
import { shortestSecret } from "../../redact.js";
import type { LoadOptions } from "../load-run.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../manifest.js";
import { secretPath } from "../resolve-spec.js";
import { pathInPolicy, policyFieldsOf } from "./policies.js";

function* secretsAt(value: Value | undefined, path: DocumentPath): Generator<{ secret: Secret; path: DocumentPath }> {
  if (value instanceof Secret) yield { secret: value, path };
  else if (Array.isArray(value)) for (const [index, part] of value.entries()) yield* secretsAt(part, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value)) yield* secretsAt(part, [...path, name]);
}

function fileOf({ source }: Secret, { file }: ParsedManifest, { tree }: Pick<LoadOptions, "tree">): string | null {
  return source.startsWith("file ") ? secretPath(tree.root, file, source.slice("file ".length)) : null;
}

export async function trackedSecrets(
  manifests: readonly ParsedManifest[],
  options: LoadOptions,
): Promise<ReadonlySet<string>> {
  const { allowInlineSecrets, deep, secrets: store, trackedFiles } = options;
  if (!deep || allowInlineSecrets || store !== undefined || trackedFiles === undefined) return new Set();
  const files = manifests.flatMap((manifest) =>
    [...secretsAt(manifest.spec, [])].flatMap(({ secret }) => fileOf(secret, manifest, options) ?? []),
  );
  return files.length === 0 ? new Set() : trackedFiles([...new Set(files)]);
}

function namesOf(manifests: readonly ParsedManifest[]): ReadonlySet<string> {
  return new Set(
    manifests.flatMap(({ address, kind, name, spec, valid }) => {
      const claims = valid ? kinds[kind].claims(specFromManifest(kinds[kind], spec)) : [];
      return [address, name, ...claims.map(claimText)];
    }),
  );
}

const trackedRemedy = "Change it, and let Git ignore its file. --allow-inline-secrets accepts it.";

/** A policy's own values may look like a source: `metadata: {env: prod}`. */
const unavailableRemedy =
  "Provide it where `edgewise apply` runs. If it is no secret, write the policy as a JSON text or in a file.";

export const secrets: StackCheck = (manifests, report, options) => {
  if (!options.deep) return;
  let shown: ReadonlySet<string> | null = null;
  const seen = new Set<string>();
  for (const manifest of manifests) {
    for (const { path, secret } of secretsAt(manifest.spec, ["spec"])) {
      const file = fileOf(secret, manifest, options);
      if (file !== null && options.secrets === undefined && !seen.has(file)) {
        seen.add(file);
        const warning = options.tree.secretAccess?.(file).warning ?? null;
        const message = `"${secret.source.slice("file ".length)}" ${warning}`;
        if (warning !== null) report(manifest, { code: "secret-file-exposed", message, path });
      }
      if (file !== null && options.tracked?.has(file) === true) {
        const message = `the ${secret.source} is tracked by Git`;
        report(manifest, { code: "inline-secret", message, remedy: trackedRemedy, path });
      }
      if (secret.missing !== null) {
        const isField = kinds[manifest.kind].specFields.some(
          (place) => place.field.secret === true && place.path.join() === path.slice(1).join(),
        );
        const more = isField ? {} : { remedy: unavailableRemedy };
        if (options.plansUnavailable !== true)
          report(manifest, { code: "secret-unavailable", message: secret.missing, path, ...more });
        continue;
      }
      const text = secret.reveal();
      const unfit =
        text.length < shortestSecret
          ? `the secret has fewer than ${shortestSecret} characters, too few to be masked`
          : (shown ??= namesOf(manifests)).has(text)
            ? "the secret is an address, a name or a hostport, which outputs show"
            : null;
      if (unfit !== null) report(manifest, { code: "secret-unfit", message: unfit, path });
    }
  }
};

/** In a policy a value may be secret under any name. */
export const maskedSecrets: ManifestCheck = (manifest, report) => {
  const refuse = (path: DocumentPath): void =>
    report({ code: "masked-secret", message: `${showPath(path)} is written as ${MASK}`, path });
  for (const { field, path } of kinds[manifest.kind].specFields) {
    const written = field.secret === true ? valueAt(manifest.value["spec"], path) : null;
    if (typeof written === "string" && isSecretLabel(written)) refuse(["spec", ...path]);
  }
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

const inClearRemedy =
  "Write the policy into the manifest as an object, with {env: NAME} or {file: path} in place of each secret, and change the secret.";

export const policySecrets: ManifestCheck = (manifest, report, { deep }) => {
  for (const { document, file, isInline, path } of policyFieldsOf(manifest)) {
    if (document === undefined || document === null) continue;
    const inClear: DocumentPath[] = [];
    mapSecrets(document as Value, (secret, at, named) => {
      // A mask is reported by `maskedSecrets`.
      if (!(secret instanceof Secret) && (typeof secret !== "string" || !isSecretLabel(secret))) inClear.push(at);
      if (deep && secret instanceof Secret && !named) {
        const message = `${showPath(at)} of the policy takes a secret under a name that does not look like one: without its source, plans show the live value`;
        report({ code: "policy-secret-name", message, path: [...path, ...at] });
      }
      return secret;
    });
    const where = file === null ? "the policy" : JSON.stringify(file);
    for (const at of isInline ? inClear : inClear.slice(0, 1)) {
      const message = `${showPath(at)} of ${where} contains a secret in plain text`;
      const more = isInline ? { path: [...path, ...at] } : { path, remedy: inClearRemedy };
      report({ code: "policy-secret", message, sensitive: isInline || file === null, ...more });
    }
  }
};
