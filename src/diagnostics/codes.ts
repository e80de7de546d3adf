import { fleetCodes } from "./fleet-codes.js";
import type { YamlCode } from "../yaml/parsed-file.js";

/** What a code means: its entry in docs/diagnostics.md, its rule in SARIF, and its default remedy. */
export interface CodeEntry {
  readonly severity: "error" | "warning";
  readonly description: string;
  readonly remedy: string;
}

function error(description: string, remedy: string): CodeEntry {
  return { severity: "error", description, remedy };
}

function warning(description: string, remedy: string): CodeEntry {
  return { severity: "warning", description, remedy };
}

/** The errors that a schema finds in a manifest or the configuration. */
export const schemaCodes = {
  "not-a-map": error(
    "The document is not a map of members.",
    "Begin it with apiVersion and kind, followed by the members of that kind.",
  ),
  "unknown-api-version": error(
    "This version of edgewise does not know the apiVersion.",
    "Write apiVersion: edgewise/v1.",
  ),
  "unknown-kind": error("kind is missing or unknown.", "Use one of the kinds that `edgewise schema` lists."),
  "unknown-member": error(
    "The schema does not know this member; often it is misspelt.",
    "Correct its name or remove it; `edgewise explain KIND` lists the known members.",
  ),
  "read-only-member": error("The service sets this member itself; it can't be configured.", "Remove it."),
  "reserved-member": error("edgewise needs this member's name for itself.", "Give it another name."),
  "missing-member": error(
    "A required member is missing.",
    "Add it; `edgewise explain KIND.field` shows what it accepts.",
  ),
  "wrong-type": error(
    "A value has the wrong type: a number where text is needed, a map where a list is needed.",
    "Write a value of the right type; put quotes around text that looks like something else.",
  ),
  "not-allowed-value": error("A value is not one of the allowed values.", "Use one of the allowed values."),
  "bad-format": error(
    "A text does not have the required form of a name, an id, an address or a duration.",
    "Write it in the form that the message describes.",
  ),
  "too-long": error(
    "A text is longer than the service accepts. Descriptions are counted in bytes of UTF-8.",
    "Shorten it.",
  ),
  "empty-value": error("A text or list that must not be empty is empty.", "Fill it in or remove the member."),
  "out-of-range": error("A number is out of range.", "Use a number in the range that the message gives."),
  "choose-one": error(
    "A map that must have exactly one of several members has none or more than one.",
    "Write exactly one of them.",
  ),
  "duplicate-item": error("A list contains an item twice.", "Remove one of the two."),
  "unknown-ignored-field": error(
    "lifecycle.ignore names a field that the kind does not have.",
    "Correct the path; it begins with spec.",
  ),
  "bad-base-url": error(
    "The base URL can't be used: it is not an https URL, or it has a user, query or fragment.",
    "Write it like https://api.example.com.",
  ),
  "base-url-elsewhere": error(
    "The base URLs of the configuration and of EDGEWISE_BASE_URL have different origins. A change to the file must not be able to send the API key elsewhere.",
    "Correct the wrong one, or keep only EDGEWISE_BASE_URL.",
  ),
  "bad-version-header": error(
    "The header for the API's version is already used for something else, or is not a valid header name.",
    "Use the header that the service documents for its version.",
  ),
  "bad-page-cache": error(
    "The page cache is not a file inside the configuration's directory, or it is a hidden one.",
    "Write a path like edgewise-pages.json. For a file elsewhere, give --page-cache.",
  ),
  "policy-name": error(
    "Two policies have the same name. An environment adds policies and can't replace one.",
    "Give each policy a name of its own.",
  ),
  "policy-expression": error(
    "The expression of a policy is not valid CEL, names something that a plan does not have, or does not give true or false.",
    "Correct the expression; `edgewise explain Config.policies.expression` describes it.",
  ),
  "too-many-errors": error(
    "The document has more errors than are shown.",
    "Correct the ones that are shown, then check again.",
  ),
} as const satisfies { readonly [code: string]: CodeEntry };

export type SchemaCode = keyof typeof schemaCodes;

/** The problems that no schema can find. */
const manifestCodes = {
  // The configuration file itself
  "config-writable": error(
    "Every user of this computer can write to the configuration and so decide what is applied and where.",
    "Restrict it with `chmod o-w FILE`. If a CI runner checks files out like this, set its umask.",
  ),
  "config-foreign": warning(
    "The configuration belongs to another user, who can change it at any time.",
    "This is fine in a container that works on its host's checkout. Elsewhere, use a checkout of your own.",
  ),

  ...fleetCodes,

  // Which files
  "pattern-no-match": error(
    "A pattern of `manifests` (or `-f`) matches no manifest file. A mistyped pattern must not look like an empty stack.",
    "Correct it, or remove it. Patterns are relative to the configuration; manifests end in .yaml or .yml.",
  ),
  "file-missing": error(
    "A named file does not exist or is not a regular file.",
    "Check the path; it is relative to the manifest that names it.",
  ),
  "file-outside": error(
    "A path leads out of the configuration's root, directly or through a link. Manifests and content files must be inside it.",
    "Move the file below the root: the directory of edgewise.yaml, or the working directory without one.",
  ),
  "file-hidden": error(
    "A part of a path begins with a dot. Such files often hold settings and keys, and are never read.",
    "Rename or move the file.",
  ),
  "file-too-large": error("A file is larger than 8 MiB.", "Split it."),
  "file-too-many": error(
    "A directory holds more than 1,000,000 files and directories.",
    "Name the directories of the manifests more precisely.",
  ),
  "pattern-too-large": error(
    "A pattern is longer than 1,000 characters, or the patterns expand to more than 1,000 patterns without braces, or there are too many files to match them against.",
    "Name directories, or use fewer and simpler patterns.",
  ),
  "input-too-large": error(
    "The manifests of one run exceed a limit: 200,000 files or documents, 128 MiB, 256 MiB of content files, or 64 MiB of variable values.",
    "Remove what is not needed, or split the stack.",
  ),
  "file-unreadable": error("A file exists but can't be read.", "Check its permissions."),
  "file-encoding": error("A file is not UTF-8 text, or it contains NUL characters.", "Save it as UTF-8."),
  "file-lfs-pointer": error(
    "A file is a pointer of Git LFS: a checkout without LFS has it in place of the file, and Git's own objects always do.",
    "Fetch the file with `git lfs pull`. `--ref` and `--base` read Git's objects: keep the files that they need out of LFS.",
  ),
  "file-is-api-key": error(
    "A manifest names the file (or environment variable) that holds the API key.",
    "Name another one: manifests never need the API key.",
  ),

  // YAML
  "yaml-syntax": error("The text is not valid YAML.", "Add the colon, quote, bracket or space that is missing."),
  "yaml-duplicate-key": error(
    "A map has the same key twice. YAML would silently drop one of them.",
    "Keep one of them.",
  ),
  "yaml-merge-key": error("A merge key `<<` is used, which is not part of YAML 1.2.", "Write the members out."),
  "yaml-alias": error(
    "An alias has no anchor, is inside its own anchor, or copies too much: more than 10,000 values or 1 MiB in one document.",
    "Write the value out.",
  ),
  "yaml-tag": error("A tag (`!name`) is used. Manifests need none.", "Remove it, or quote the text."),
  "yaml-key": error("A key is not text.", "Put quotes around it."),
  "yaml-number": error(
    "A number can't be represented exactly: it is too large, infinite or not a number.",
    "Put quotes around it if it is meant as text.",
  ),
  "yaml-text": error(
    "A text holds half a character: an escape from \\uD800 to \\uDFFF without its other half. UTF-8 has no form for it.",
    "Write the character itself, or both escapes.",
  ),
  "yaml-depth": error(
    "Maps and lists are nested more than 100 deep, with aliases expanded.",
    "Look for unclosed brackets.",
  ),
  "yaml-size": error(
    "One document has more than 500,000 tokens, or one file more than 200,000 documents.",
    "Split it.",
  ),
  "yaml-directive": error("A directive is unknown or asks for YAML 1.1.", "Remove the line."),

  // Variables
  "variable-too-large": error(
    "A text has more than 1,048,576 characters after its variables are filled in.",
    "Use the variable less often, or name a file with `{file: path}`.",
  ),
  "variable-unset": error(
    "A variable has no value.",
    "Set it with `variables` in edgewise.yaml, `--var NAME=VALUE` or the environment variable EDGEWISE_VAR_NAME.",
  ),
  "variable-expression": error(
    "The text between `${{` and `}}` is not an expression.",
    "Write ${{ vars.NAME }} or ${{ env.NAME }}; $${{ is a literal ${{.",
  ),
  "variable-type": error(
    "A variable inside a text is a map, a list or null.",
    "Use the expression as the whole value, or use a variable that is text.",
  ),

  "variable-lookalike": warning(
    "A text outside of traffic policies has `${vars.NAME}`, `${var.NAME}` or `${env.NAME}`, which edgewise leaves alone.",
    "Write ${{ vars.NAME }} or ${{ env.NAME }} for a value that edgewise is to fill in.",
  ),

  // What manifests say
  "inline-secret": error(
    "A secret is written into the manifest itself, or into a file that Git tracks.",
    "Write {env: NAME} or {file: path}, and change the secret: it may already be in the repository's history.",
  ),
  "secret-unfit": error(
    "A secret has fewer than 8 characters, or is an address, a name or a hostport, which outputs show.",
    "Choose another secret, of 8 characters or more.",
  ),
  "secret-source": error(
    "A secret comes from a source that is not allowed.",
    "Name an environment variable or file that contains only this secret.",
  ),
  "secret-file-writable": error(
    "A file with a secret is writable by its group or by every user, who could replace the secret.",
    "Restrict it with `chmod 600 FILE`.",
  ),
  "secret-file-exposed": warning(
    "A file with a secret is readable by others or belongs to another user.",
    "Restrict it with `chmod 600 FILE`, change its owner with `chown`, or mount it for this user only.",
  ),
  "secret-unavailable": warning(
    "A secret can't be read here. A plan continues without it; an apply that must send it fails.",
    "Provide it where `edgewise apply` runs.",
  ),
  "duplicate-name": error("Two manifests of the same kind have the same name.", "Rename or remove one of them."),
  "duplicate-id": error("Two manifests name the same existing resource.", "Merge them, or correct the id."),
  "duplicate-hostport": error("A hostport is served twice. Only one edge can serve it.", "Remove it from one of them."),
  "duplicate-claim": error(
    "Two manifests claim something that only one resource can have.",
    "Remove it from one of them.",
  ),
  "dangling-reference": error(
    "A reference names something that no manifest describes.",
    "Correct the name, add the manifest, or refer to an existing resource with {id: …}.",
  ),
  "reference-kind": error(
    "An id in a reference belongs to another kind, as its prefix tells: an IP policy is ipp_…, a certificate authority ca_…, an endpoint configuration ec_….",
    "Write the id of the kind that the field refers to; `edgewise explain KIND.field` shows an example.",
  ),
  "header-invalid": error(
    "A header has a name or a value that HTTP doesn't allow.",
    "A name has letters, digits and !#$%&'*+-.^_`|~ only; a value has no line breaks and no NUL.",
  ),
  "id-kind": error(
    "The id of a manifest's own resource, in `metadata.id` or `adopt`, belongs to another kind, as its prefix tells.",
    "Write the id of the resource that the manifest describes, or remove it.",
  ),
  "hostport-syntax": error(
    "A hostport is not `host:port` with a port from 1 to 65535.",
    "Write it like api.example.com:443.",
  ),
  "previous-name": error(
    "A name in `previousNames` is still in use, or is claimed by two manifests.",
    "Remove it where it does not belong.",
  ),
  "adopt-conflict": error("`metadata.id` and `adopt` in the configuration have different ids.", "Keep one of them."),
  "metadata-too-large": error(
    "The metadata, including the ownership marker, is larger than the 4096 bytes that the service accepts.",
    "Shorten spec.metadata.",
  ),
  "upstream-min-version": error(
    "`min_version` is set although TLS ends at the upstream.",
    "Remove min_version, or set terminate_at to edge.",
  ),
  "upstream-module": error(
    "A module that needs to read the traffic is used together with `terminate_at: upstream`.",
    "Remove the module, or set terminate_at to edge.",
  ),
  "upstream-module-doubtful": warning(
    "A module is used together with `terminate_at: upstream`, which rules out most modules.",
    "Check that the service accepts it.",
  ),
  "empty-list": warning(
    "A list is empty, of policies or certificate authorities, and the service may want at least one item.",
    "Name at least one, or remove what the list belongs to.",
  ),
  "certificate-invalid": error("The certificate chain can't be read.", "Provide PEM certificates, leaf first."),
  "certificate-order": error(
    "The certificate chain is not in order: each certificate must be signed by the next.",
    "Put the leaf first and then each issuer in turn.",
  ),
  "certificate-holds-key": error(
    "The certificate text contains a private key, which would be sent and returned in plain text.",
    "Remove the key from it, and treat the key as leaked.",
  ),
  "certificate-expired": warning("A certificate has expired.", "Renew it."),
  "certificate-not-yet-valid": warning(
    "A certificate is not yet valid.",
    "Check the date of the certificate and of this machine.",
  ),
  "private-key-invalid": error(
    "The private key can't be read.",
    "Provide an unencrypted PEM private key (RSA, ECDSA or Ed25519).",
  ),
  "private-key-mismatch": error(
    "The private key does not belong to the leaf certificate.",
    "Provide the key that the certificate was issued for.",
  ),
  "webhook-provider": error("The webhook provider is not in upper case.", "Write it in upper case, like GITHUB."),
  "webhook-secret": error(
    "The webhook provider needs a secret. All providers except SNS do.",
    "Add secret: {env: NAME} or {file: path}.",
  ),
  "masked-secret": error(
    "A text like `(secret)` is used as a secret. Outputs and exports show it in place of the secret itself.",
    "Write {env: NAME} or {file: path} instead. In a traffic policy this works only if the policy is an object in the manifest.",
  ),
  "policy-json": error("The traffic policy is not a JSON object.", "Write it as a YAML object, or correct the JSON."),
  "policy-secret": warning(
    "A traffic policy contains a secret in plain text, under a name like `client_secret` or `authorization`.",
    "Write {env: NAME} or {file: path} instead, and change the secret: it may already be in the repository's history.",
  ),
  "policy-secret-name": warning(
    "A traffic policy has a secret under a name that does not look like one, such as `body`.",
    "Rename the member to something like `client_secret` if you can. Otherwise pass `--base` to `plan`, so that the manifests at the merge base are considered too, and change the secret when you remove it from the manifest.",
  ),
  "policy-phase": warning(
    "edgewise does not know a phase of the traffic policy. The service may.",
    "Correct its spelling, unless the service has this phase.",
  ),
  "policy-phase-misplaced": warning(
    "A phase of the traffic policy belongs to another kind.",
    "Use on_tcp_connect in TLS edges, on_http_request and on_http_response in HTTPS routes.",
  ),
  "policy-shape": warning(
    "A traffic policy is not built as the service describes it: a phase is a list of rules with `name`, `expressions` and `actions`, an action has `type` and `config`.",
    "Correct it, unless the service takes it so.",
  ),
  "policy-action": warning(
    "edgewise does not know an action of the traffic policy. The service may.",
    "Correct its spelling, unless the service has this action.",
  ),
  "too-many-problems": error("There are more problems than are shown.", "Correct the ones that are shown first."),
} as const satisfies { readonly [C in YamlCode]: CodeEntry } & { readonly [code: string]: CodeEntry };

/** A code of a diagnostic: stable, listed in docs/diagnostics.md. */
export type Code = keyof typeof manifestCodes | SchemaCode;

/** Every code of a diagnostic, those of the schemas first. */
export const codes: { readonly [C in Code]: CodeEntry } = { ...schemaCodes, ...manifestCodes };

/** Whether `text` is a code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(codes, text);
}
