/** Each with its default remedy. */
export const schemaCodes = {
  "not-a-map": "Begin it with apiVersion and kind, then the kind's members.",
  "unknown-api-version": "Write apiVersion: edgewise/v1.",
  "unknown-kind": "Use one of the kinds that `edgewise schema` lists.",
  "unknown-member": "Correct it; `edgewise explain KIND` lists the members.",
  "read-only-member": "Remove it.",
  "reserved-member": "Give it another name.",
  "missing-member": "Add it; `edgewise explain KIND.field` says what it is.",
  "wrong-type": "Write the right type; quote text that looks like another.",
  "not-allowed-value": "Use one of the allowed values.",
  "bad-format": "Write it as the message describes.",
  "too-long": "Shorten it.",
  "empty-value": "Fill it in or remove the member.",
  "out-of-range": "Use a number in the range that the message gives.",
  "choose-one": "Write exactly one.",
  "duplicate-item": "Remove one of the two.",
  "unknown-ignored-field": "Correct the path; it begins with spec.",
  "bad-base-url": "Write it like https://api.example.com.",
  "base-url-elsewhere": "Correct it, or keep only the variable.",
  "bad-version-header": "Write the header of the service.",
  "bad-page-cache": "Move it, or give --page-cache.",
  "policy-name": "Rename one of them.",
  "policy-expression": "Correct it; see `edgewise explain Config.policies`.",
  "too-many-errors": "Correct those first, then check again.",
} as const;

export type SchemaCode = keyof typeof schemaCodes;

const errors = {
  ...schemaCodes,

  // The fleet file, and what repositories ask for beyond it
  "fleet-name-unknown": "Correct the name, or add what it names.",
  "fleet-git-url": "Use https or ssh, and `credentials`.",
  "fleet-file-unusable": "Check its path and permissions.",
  "fleet-path": "Write a path relative to the source's top.",
  "fleet-window": "Write it like mon-fri 07:00-17:00 Europe/Berlin.",
  "fleet-stack-twice": "Give them different names, markers or ids.",
  "fleet-stack-name": "Rename the directory.",
  "fleet-not-allowed": "Remove it, or allow it there.",

  // Which files
  "pattern-no-match": "Correct it, relative to the configuration.",
  "file-missing": "Check the path, relative to the manifest.",
  "file-outside": "Move the file below the root.",
  "file-hidden": "Rename or move the file.",
  "file-too-large": "Split it.",
  "file-too-many": "Name the manifests' directories.",
  "pattern-too-large": "Name directories, or simplify the patterns.",
  "input-too-large": "Split the stack.",
  "file-unreadable": "Check its permissions.",
  "file-encoding": "Save it as UTF-8.",
  "file-lfs-pointer": "Run `git lfs pull`; --ref and --base can't read LFS.",
  "file-is-api-key": "Name another: no manifest needs the key.",

  // YAML
  "yaml-syntax": "Add the colon, quote, bracket or space that is missing.",
  "yaml-duplicate-key": "Keep one of them.",
  "yaml-merge-key": "Write the members out.",
  "yaml-alias": "Write the value out.",
  "yaml-tag": "Remove it, or quote the text.",
  "yaml-key": "Put quotes around it.",
  "yaml-number": "Put quotes around it if it is meant as text.",
  "yaml-text": "Write both, or the character.",
  "yaml-depth": "Look for unclosed brackets.",
  "yaml-size": "Split it.",
  "yaml-directive": "Remove the line.",

  // Variables
  "variable-unset": "Set it with `variables`, --var NAME=VALUE or EDGEWISE_VAR_….",
  "variable-expression": "Write ${{ vars.NAME }} or ${{ env.NAME }}, or $${{ for ${{.",
  "variable-type": "Make it the whole value, or use text.",

  // What manifests say
  "inline-secret": "Write {env: NAME} or {file: path}, and change it.",
  "secret-unfit": "Choose another, of 8 characters or more.",
  "secret-source": "Name a variable or a file that holds only this secret.",
  "secret-file-writable": "Restrict it with `chmod 600 FILE`.",
  "duplicate-name": "Rename or remove one of them.",
  "duplicate-id": "Merge them, or correct the id.",
  "duplicate-hostport": "Remove it from one of them.",
  "dangling-reference": "Correct it, or write {id: …} or {name: …, stack: …}.",
  "reference-kind": "Write one of the right kind.",
  "header-invalid": "Remove blanks, line breaks and the like.",
  "id-kind": "Correct or remove it.",
  "hostport-syntax": "Write it like a.example.com:443.",
  "previous-name": "Remove it where it is wrong.",
  "adopt-conflict": "Keep one of them.",
  "metadata-too-large": "Shorten spec.metadata.",
  "upstream-min-version": "Remove it, or set terminate_at to edge.",
  "upstream-module": "Remove it, or set terminate_at to edge.",
  "certificate-invalid": "Provide PEM certificates, leaf first.",
  "certificate-order": "Put the leaf first, then each issuer.",
  "certificate-holds-key": "Remove it, and treat it as leaked.",
  "private-key-invalid": "Provide a plain PEM key (RSA, ECDSA, Ed25519).",
  "private-key-mismatch": "Provide the certificate's own key.",
  "webhook-provider": "Write it in upper case, like GITHUB.",
  "webhook-secret": "Add secret: {env: NAME} or {file: path}.",
  "masked-secret": "Write {env: NAME} or {file: path}.",
  "policy-json": "Write it as a YAML object, or correct the JSON.",
  "too-many-problems": "Correct the ones that are shown first.",
} as const;

const warnings = {
  "secret-file-exposed": "Use `chmod 600` or `chown`.",
  "secret-unavailable": "Provide it where `edgewise apply` runs.",
  "upstream-module-doubtful": "Check that the service can.",
  "empty-list": "Fill it, or remove its module.",
  "certificate-expired": "Renew it.",
  "certificate-not-yet-valid": "Check its date and this machine's.",
  "policy-secret": "Write {env: NAME} or {file: path}, and change the secret.",
  "policy-secret-name": "Rename it, or change it when you remove it.",
  "policy-phase": "Correct it, unless the service has it.",
  "policy-phase-misplaced": "Use on_tcp_connect in TLS edges, else on_http_*.",
  "policy-action": "Correct it, unless the service has it.",
} as const;

/** A code of a diagnostic: stable, listed in docs/diagnostics.md. */
export type Code = keyof typeof errors | keyof typeof warnings;

export const remedies: { readonly [C in Code]: string } = { ...errors, ...warnings };

export function severityOf(code: Code): "error" | "warning" {
  return Object.hasOwn(errors, code) ? "error" : "warning";
}
