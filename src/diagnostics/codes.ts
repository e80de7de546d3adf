/** One kind of problem, as the documentation lists it. */
export interface SchemaCodeEntry {
  readonly description: string;
  readonly remedy: string;
}

/** What the schemas can find wrong with a manifest or the configuration. The codes are stable. */
export const schemaCodes = {
  "not-a-map": {
    description: "The document is not a map of members.",
    remedy: "Begin it with apiVersion, kind and what belongs to the kind.",
  },
  "unknown-api-version": {
    description: "apiVersion is not one that this version of edgewise reads.",
    remedy: "Write apiVersion: edgewise/v1.",
  },
  "unknown-kind": {
    description: "kind is missing or names no known kind.",
    remedy: "Use one of the kinds that `edgewise schema` lists.",
  },
  "unknown-member": {
    description: "A member that the schema does not know, often a misspelling.",
    remedy: "Correct its name or remove it; `edgewise explain KIND` lists what there is.",
  },
  "read-only-member": {
    description: "A member that the service sets itself and nobody can ask for.",
    remedy: "Remove it.",
  },
  "reserved-member": {
    description: "A member whose name edgewise needs for itself.",
    remedy: "Give it another name.",
  },
  "missing-member": {
    description: "A required member is missing.",
    remedy: "Add it; `edgewise explain KIND.field` tells what it takes.",
  },
  "wrong-type": {
    description: "A value of the wrong type: a number where text is needed, a map where a list is needed.",
    remedy: "Write a value of the right type; text that looks like something else needs quotes.",
  },
  "not-allowed-value": {
    description: "A value that is none of those that are allowed.",
    remedy: "Use one of the allowed values.",
  },
  "bad-format": {
    description: "A text that lacks the form that is needed here: a name, an id, an address, a duration.",
    remedy: "Write it in the form that the message describes.",
  },
  "too-long": {
    description: "A text that is longer than the service takes. Descriptions are counted in bytes of UTF-8.",
    remedy: "Shorten it.",
  },
  "empty-value": {
    description: "A text or list that must not be empty is empty.",
    remedy: "Fill it in or remove the member.",
  },
  "out-of-range": {
    description: "A number outside of what is allowed.",
    remedy: "Use a number in the range that the message names.",
  },
  "choose-one": {
    description: "A map that must hold exactly one of several members holds none or more.",
    remedy: "Name exactly one of them.",
  },
  "duplicate-item": {
    description: "A list says the same thing twice.",
    remedy: "Remove one of the two.",
  },
  "unknown-ignored-field": {
    description: "lifecycle.ignore names a field that the kind does not have.",
    remedy: "Correct the path; it begins with spec.",
  },
  "bad-base-url": {
    description: "The base URL can't be used: no https URL, or one with a user, query or fragment.",
    remedy: "Write it like https://api.example.com.",
  },
  "base-url-elsewhere": {
    description:
      "The configuration's base URL has another origin than EDGEWISE_BASE_URL. A change of the file must not be able to send the API key elsewhere.",
    remedy: "Correct the one that is wrong, or keep only EDGEWISE_BASE_URL.",
  },
  "bad-version-header": {
    description: "The header for the API's version has another meaning, or is none.",
    remedy: "Use the header that the service documents for its version.",
  },
  "too-many-errors": {
    description: "The document has more errors than are worth showing.",
    remedy: "Correct the ones that are shown, then look again.",
  },
} as const satisfies { readonly [code: string]: SchemaCodeEntry };

export type SchemaCode = keyof typeof schemaCodes;

/** What a code means: the entry of docs/diagnostics.md, the rule of a SARIF log, and the default remedy. */
export interface CodeEntry {
  readonly severity: "error" | "warning";
  readonly description: string;
  readonly remedy: string;
}

const error = (description: string, remedy: string): CodeEntry => ({ severity: "error", description, remedy });
const warning = (description: string, remedy: string): CodeEntry => ({ severity: "warning", description, remedy });

const manifestCodes = {
  // The configuration file itself
  "config-writable": error(
    "Every user of this computer can write the configuration, and so decide what is applied and where.",
    "Close it with `chmod o-w FILE`. A CI runner that checks files out like this may have a setting for its umask.",
  ),
  "config-foreign": warning(
    "The configuration belongs to another user, who can change it at any time.",
    "In a container that works on its host's checkout this is fine. Elsewhere, use a checkout of your own.",
  ),

  // Which files
  "pattern-no-match": error(
    "A pattern of `manifests` (or `-f`) matches no manifest file. A mistyped pattern must not look like an empty stack.",
    "Check its spelling and what it is relative to, or take it away.",
  ),
  "file-missing": error(
    "A file that is named does not exist, or is no ordinary file.",
    "Check the path; it is relative to the manifest that names it.",
  ),
  "file-outside": error(
    "A path leads out of the configuration's root, directly or through a link. Manifests and content files lie inside.",
    "Move the file below the root: the directory of edgewise.yaml, or the working directory without one.",
  ),
  "file-hidden": error(
    "A part of a path begins with a dot. Such files hold settings and keys and are never read.",
    "Rename or move the file.",
  ),
  "file-too-large": error("A file is larger than 8 MiB.", "Split it."),
  "file-too-many": error(
    "A directory holds more than 1,000,000 files and directories.",
    "Name the directories of the manifests more closely.",
  ),
  "pattern-too-large": error(
    "A pattern is longer than 1,000 characters, or the patterns stand for more than 1,000 patterns once their braces are written out, or there are too many files to compare them with.",
    "Name directories, or fewer and simpler patterns.",
  ),
  "input-too-large": error(
    "All manifests of a run together go past a limit: 200,000 files or documents, 128 MiB, 256 MiB of contents, or 64 MiB that variables put into them.",
    "Take out what is not needed, or split the stack.",
  ),
  "file-unreadable": error("A file is there and can't be read.", "Check its permissions."),
  "file-encoding": error("A file is not UTF-8 text, or holds NUL characters.", "Save it as UTF-8."),
  "file-is-api-key": error(
    "A manifest names the file (or environment variable) that holds the API key.",
    "Name another one: the API key is never a manifest's business.",
  ),

  // YAML
  "yaml-syntax": error("The text is not valid YAML.", "Look at this line and the one above it."),
  "yaml-duplicate-key": error("A map has one key twice. YAML would drop one of them silently.", "Keep one of them."),
  "yaml-merge-key": error("A merge key `<<` is used; it is not part of YAML 1.2.", "Write the members out."),
  "yaml-alias": error(
    "An alias has no anchor, stands inside its own anchor, or copies too much: 10,000 values or 1 MiB in one document.",
    "Write the value out.",
  ),
  "yaml-tag": error("A tag (`!name`) is used. Manifests need none.", "Take it away, or quote the text."),
  "yaml-key": error("A key is not text.", "Put quotes around it."),
  "yaml-number": error(
    "A number can't be carried exactly: too large, infinite or not a number.",
    "Put quotes around it if it is meant as text.",
  ),
  "yaml-depth": error(
    "Maps and lists are nested more than 100 deep, counting what aliases bring along.",
    "Look for unclosed brackets.",
  ),
  "yaml-size": error(
    "One document has more than 500,000 tokens, or one file more than 200,000 documents.",
    "Split it.",
  ),
  "yaml-directive": error("A directive asks for YAML 1.1 or is not known.", "Take the line away."),

  // Variables
  "variable-too-large": error(
    "A text has more than 1,048,576 characters once its variables are filled in.",
    "Use the variable less often, or name a file with `{file: path}`.",
  ),
  "variable-unset": error(
    "A variable that is used has no value.",
    "Set it with `variables` in edgewise.yaml, `--var NAME=VALUE` or the environment variable EDGEWISE_VAR_NAME.",
  ),
  "variable-expression": error(
    "Between `${{` and `}}` stands something that is no expression.",
    "Write ${{ vars.NAME }} or ${{ env.NAME }}; $${{ is a literal ${{.",
  ),
  "variable-type": error(
    "A variable that is a map, a list or null stands inside a text.",
    "Let the expression be the whole value, or use a variable that is text.",
  ),

  // What manifests say
  "inline-secret": error(
    "A secret is written into the manifest itself.",
    "Write {env: NAME} or {file: path}, and change the secret: it may already be in the repository's history.",
  ),
  "secret-source": error(
    "A secret comes from a place that it may not come from.",
    "Name an environment variable or file that holds this secret and nothing else.",
  ),
  "secret-file-writable": error(
    "A file with a secret can be written by its group or by every user, who could exchange the secret.",
    "Close it with `chmod 600 FILE`.",
  ),
  "secret-file-exposed": warning(
    "A file with a secret can be read by others, or belongs to another user.",
    "Close it with `chmod 600 FILE`, take it over with `chown` when it belongs to another user, or mount it for this user only.",
  ),
  "secret-unavailable": warning(
    "A secret can't be read here. A plan goes on without it; an apply that must send it fails.",
    "Set the variable or provide the file where edgewise applies.",
  ),
  "duplicate-name": error("Two manifests of one kind have one name.", "Rename or remove one of them."),
  "duplicate-id": error("Two manifests speak of one existing resource.", "Merge them, or correct the id."),
  "duplicate-hostport": error("A hostport is served twice. One edge only can serve it.", "Remove it from one of them."),
  "dangling-reference": error(
    "A reference names something that no manifest describes.",
    "Correct the name, add the manifest, or refer to an existing resource with {id: …}.",
  ),
  "hostport-syntax": error(
    "A hostport is not `host:port` with a port from 1 to 65535.",
    "Write it like api.example.com:443.",
  ),
  "previous-name": error(
    "A name in `previousNames` is still in use, or is claimed by two manifests.",
    "Remove it where it does not belong.",
  ),
  "adopt-conflict": error("`metadata.id` and the configuration's `adopt` name different ids.", "Keep one of them."),
  "metadata-too-large": error(
    "The metadata, ownership marker included, is larger than the 4096 bytes that the service takes.",
    "Shorten spec.metadata.",
  ),
  "upstream-min-version": error(
    "`min_version` is set although TLS ends at the upstream.",
    "Remove min_version, or set terminate_at to edge.",
  ),
  "upstream-module": error(
    "A module that needs access to the traffic stands beside `terminate_at: upstream`.",
    "Remove the module, or set terminate_at to edge.",
  ),
  "upstream-module-doubtful": warning(
    "A module stands beside `terminate_at: upstream`, which disallows most of them.",
    "Check that the service takes it.",
  ),
  "certificate-invalid": error("The certificate chain can't be read.", "Provide PEM certificates, leaf first."),
  "certificate-order": error(
    "The certificate chain is not in order: each certificate must be signed by the next.",
    "Put the leaf first and then each issuer in turn.",
  ),
  "certificate-holds-key": error(
    "The certificate text holds a private key, which would be sent and returned in clear.",
    "Take the key out of it, and consider it leaked.",
  ),
  "certificate-expired": warning("A certificate has expired.", "Renew it."),
  "certificate-not-yet-valid": warning(
    "A certificate is not valid yet.",
    "Check the date of the certificate and of this machine.",
  ),
  "private-key-invalid": error(
    "The private key can't be read.",
    "Provide an unencrypted PEM private key (RSA, ECDSA or Ed25519).",
  ),
  "private-key-mismatch": error(
    "The private key does not belong to the leaf certificate.",
    "Provide the key that the certificate was made for.",
  ),
  "webhook-provider": error("The webhook provider is not in upper case.", "Write it in upper case, like GITHUB."),
  "webhook-secret": error(
    "The webhook provider needs a secret. Every provider but SNS does.",
    "Add secret: {env: NAME} or {file: path}.",
  ),
  "masked-secret": error(
    "A text like `(secret)` stands where a secret belongs. Outputs and exports show that in place of a secret; it is not the secret.",
    "Write {env: NAME} or {file: path} in its place. In a policy, that works only where the policy is an object of the manifest.",
  ),
  "policy-json": error("The traffic policy is no JSON object.", "Write it as a YAML object, or correct the JSON."),
  "policy-secret": warning(
    "A secret stands in a traffic policy in clear: a text under a name like `client_secret` or `authorization`.",
    "Write {env: NAME} or {file: path} in its place, and change the secret: it may already be in the repository's history.",
  ),
  "policy-secret-name": warning(
    "A secret stands in a traffic policy under a name that does not show that it is one, like `body`.",
    "Where you can, use a name like `client_secret`. Otherwise give `plan` --base, so that the manifests at the merge base count as well, and change the secret when you take it out of the manifest.",
  ),
  "policy-phase": warning(
    "A phase of the traffic policy is not known. The service may know more.",
    "Check its spelling.",
  ),
  "policy-phase-misplaced": warning(
    "A phase of the traffic policy belongs to another kind of edge.",
    "Use on_tcp_connect on TLS edges, on_http_request and on_http_response on HTTPS routes.",
  ),
  "policy-action": warning(
    "An action of the traffic policy is not known. The service may know more.",
    "Check its spelling.",
  ),
  "too-many-problems": error("There are more problems than are shown.", "Correct the ones that are shown first."),
} as const satisfies { readonly [code: string]: CodeEntry };

/** A code of a diagnostic: stable, listed in docs/diagnostics.md. */
export type Code = keyof typeof manifestCodes | SchemaCode;

/** Every code a diagnostic may have. Everything that a schema finds is an error. */
export const codes: { readonly [C in Code]: CodeEntry } = { ...asErrors(schemaCodes), ...manifestCodes };

/** Whether `text` is a code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(codes, text);
}

function asErrors<C extends string>(entries: { readonly [code in C]: Omit<CodeEntry, "severity"> }): {
  readonly [code in C]: CodeEntry;
} {
  const result = Object.entries<Omit<CodeEntry, "severity">>(entries).map(([code, entry]) => [
    code,
    error(entry.description, entry.remedy),
  ]);
  return Object.fromEntries(result) as { readonly [code in C]: CodeEntry };
}
