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

export const schemaCodes = {
  "not-a-map": error("The document is no map.", "Begin it with apiVersion and kind, then the kind's members."),
  "unknown-api-version": error("The apiVersion is not known.", "Write apiVersion: edgewise/v1."),
  "unknown-kind": error("kind is missing or unknown.", "Use one of the kinds that `edgewise schema` lists."),
  "unknown-member": error("The schema has no such member.", "Correct it; `edgewise explain KIND` lists the members."),
  "read-only-member": error("The service sets this member itself; it can't be configured.", "Remove it."),
  "reserved-member": error("edgewise needs this member's name for itself.", "Give it another name."),
  "missing-member": error("A required member is missing.", "Add it; `edgewise explain KIND.field` says what it is."),
  "wrong-type": error("A value has the wrong type.", "Write the right type; quote text that looks like another."),
  "not-allowed-value": error("A value is not one of the allowed values.", "Use one of the allowed values."),
  "bad-format": error("A name, id, address or duration has another form.", "Write it as the message describes."),
  "too-long": error("A text is too long for the service, in bytes of UTF-8.", "Shorten it."),
  "empty-value": error("A text or list that must not be empty is empty.", "Fill it in or remove the member."),
  "out-of-range": error("A number is out of range.", "Use a number in the range that the message gives."),
  "choose-one": error("A map has none, or several, of members of which it needs one.", "Write exactly one."),
  "duplicate-item": error("A list contains an item twice.", "Remove one of the two."),
  "unknown-ignored-field": error("lifecycle.ignore names an unknown field.", "Correct the path; it begins with spec."),
  "bad-base-url": error(
    "The base URL is not an https URL, or has a user, a query or a fragment.",
    "Write it like https://api.example.com.",
  ),
  "base-url-elsewhere": error(
    "The configuration's base URL has another origin than EDGEWISE_BASE_URL: a change to the file must not send the API key elsewhere.",
    "Correct the wrong one, or keep only EDGEWISE_BASE_URL.",
  ),
  "bad-version-header": error("The version header is no name, or has another use.", "Write the header of the service."),
  "bad-page-cache": error(
    "The page cache is a hidden file, or outside of the configuration's directory.",
    "Write a path like edgewise-pages.json. For a file elsewhere, give --page-cache.",
  ),
  "policy-name": error("Two policies have one name. An environment can only add policies.", "Rename one of them."),
  "policy-expression": error(
    "The expression is not valid CEL, names what a plan does not have, or does not give true or false.",
    "Correct the expression; `edgewise explain Config.policies.expression` describes it.",
  ),
  "too-many-errors": error("The document has more errors than are shown.", "Correct those first, then check again."),
} as const satisfies { readonly [code: string]: CodeEntry };

export type SchemaCode = keyof typeof schemaCodes;

const manifestCodes = {
  // The configuration file itself
  "config-writable": error(
    "Every user of this computer can change the configuration, and so what is applied and where.",
    "Restrict it with `chmod o-w FILE`. If a CI runner checks files out like this, set its umask.",
  ),
  "config-foreign": warning(
    "The configuration belongs to another user, who can change it.",
    "Fine in a container with its host's checkout. Elsewhere, use a checkout of your own.",
  ),

  // The fleet file, and what repositories ask for beyond it
  "fleet-name-unknown": error("The fleet file has no such entry.", "Correct the name, or add what it names."),
  "fleet-git-url": error(
    "A source's address has an unsafe protocol, or holds a password.",
    "Use https, ssh, file or a path; a token goes into `credentials`.",
  ),
  "fleet-file-unusable": error(
    "A secret or signers file that the fleet file names can't be used.",
    "Check the path, which is relative to the fleet file, and the file's permissions.",
  ),
  "fleet-path": error("A path of the fleet file can't be used.", "Write a path relative to the source's top."),
  "fleet-window": error("A window can't be read.", "Write it like mon-fri 07:00-17:00 Europe/Berlin."),
  "fleet-stack-twice": error(
    "Two stacks of a fleet are the same, or claim the same thing.",
    "Remove one of them, or give them different names, markers or ids.",
  ),
  "fleet-stack-name": error("A stack's name would be no valid part of a Git ref.", "Rename the directory."),
  "fleet-not-allowed": error(
    "A repository asks for something that the fleet file of `edgewise serve` does not allow.",
    "Remove it, or have the operator allow it in the fleet file, at the line that the message names.",
  ),

  // Which files
  "pattern-no-match": error(
    "A pattern of `manifests` or `-f` matches no manifest. A typing error must not look like an empty stack.",
    "Correct or remove it. Patterns are relative to the configuration; manifests end in .yaml or .yml.",
  ),
  "file-missing": error("A file does not exist, or is not a regular one.", "Check the path, relative to the manifest."),
  "file-outside": error(
    "A path leads out of the configuration's root, directly or through a link.",
    "Move the file below the root: the directory of edgewise.yaml, or the working directory without one.",
  ),
  "file-hidden": error("A part of a path begins with a dot. Such files are never read.", "Rename or move the file."),
  "file-too-large": error("A file is larger than 8 MiB.", "Split it."),
  "file-too-many": error("A directory holds more than 1,000,000 entries.", "Name the manifests' directories."),
  "pattern-too-large": error(
    "A pattern has more than 1,000 characters, or patterns have too many alternatives or files to match.",
    "Name directories, or use fewer and simpler patterns.",
  ),
  "input-too-large": error(
    "The manifests, with the files and variables in them, have more than 256 MiB.",
    "Remove what is not needed, or split the stack.",
  ),
  "file-unreadable": error("A file exists but can't be read.", "Check its permissions."),
  "file-encoding": error("A file is not UTF-8 text, or it contains NUL characters.", "Save it as UTF-8."),
  "file-lfs-pointer": error(
    "A file is a pointer of Git LFS, as it always is in Git's own objects.",
    "Fetch it with `git lfs pull`; what `--ref` and `--base` read must not be in LFS.",
  ),
  "file-is-api-key": error("A manifest names the source of the API key.", "Name another: no manifest needs the key."),

  // YAML
  "yaml-syntax": error("The text is not valid YAML.", "Add the colon, quote, bracket or space that is missing."),
  "yaml-duplicate-key": error("A map has the same key twice; YAML would drop one.", "Keep one of them."),
  "yaml-merge-key": error("A merge key `<<` is used, which is not part of YAML 1.2.", "Write the members out."),
  "yaml-alias": error("An alias has no anchor, is in it, or copies 10,000 values or 1 MiB.", "Write the value out."),
  "yaml-tag": error("A tag (`!name`) is used. Manifests need none.", "Remove it, or quote the text."),
  "yaml-key": error("A key is not text.", "Put quotes around it."),
  "yaml-number": error("A number can't be represented exactly.", "Put quotes around it if it is meant as text."),
  "yaml-text": error("A text holds one of a pair of escapes \\uD800 to \\uDFFF.", "Write both, or the character."),
  "yaml-depth": error("Maps and lists are nested more than 100 deep.", "Look for unclosed brackets."),
  "yaml-size": error("A document has over 500,000 tokens, or a file over 200,000 documents.", "Split it."),
  "yaml-directive": error("A directive is unknown or asks for YAML 1.1.", "Remove the line."),

  // Variables
  "variable-unset": error(
    "A variable has no value.",
    "Set it with `variables` in edgewise.yaml, `--var NAME=VALUE` or the environment variable EDGEWISE_VAR_NAME.",
  ),
  "variable-expression": error(
    "The text between `${{` and `}}` is not an expression.",
    "Write ${{ vars.NAME }} or ${{ env.NAME }}; $${{ is a literal ${{.",
  ),
  "variable-type": error("A variable inside a text is a map, a list or null.", "Make it the whole value, or use text."),

  // What manifests say
  "inline-secret": error(
    "A secret is written into the manifest itself, or into a file that Git tracks.",
    "Write {env: NAME} or {file: path}, and change the secret: it may already be in the repository's history.",
  ),
  "secret-unfit": error(
    "A secret is shorter than 8 characters, or is an address, a name or a hostport, which outputs show.",
    "Choose another secret, of 8 characters or more.",
  ),
  "secret-source": error("A secret's source is not allowed.", "Name a variable or a file that holds only this secret."),
  "secret-file-writable": error("A secret's file can be changed by others.", "Restrict it with `chmod 600 FILE`."),
  "secret-file-exposed": warning(
    "A secret's file is readable by others, or belongs to another user.",
    "Restrict it with `chmod 600 FILE`, change its owner with `chown`, or mount it for this user only.",
  ),
  "secret-unavailable": warning(
    "A secret can't be read here. A plan goes on without it; an apply that must send it fails.",
    "Provide it where `edgewise apply` runs.",
  ),
  "duplicate-name": error("Two manifests of the same kind have the same name.", "Rename or remove one of them."),
  "duplicate-id": error("Two manifests name the same existing resource.", "Merge them, or correct the id."),
  "duplicate-hostport": error("A hostport is served twice. Only one edge can serve it.", "Remove it from one of them."),
  "dangling-reference": error(
    "A reference names something that no manifest describes.",
    "Correct the name, add the manifest, or refer to an existing resource with {id: …} or {name: …, stack: …}.",
  ),
  "reference-kind": error(
    "The id in a reference has the prefix of another kind.",
    "Write the id of the kind that the field refers to; `edgewise explain KIND.field` shows an example.",
  ),
  "header-invalid": error(
    "HTTP doesn't allow the name or the value of a header.",
    "A name has letters, digits and !#$%&'*+-.^_`|~ only; a value has no line breaks and no NUL.",
  ),
  "id-kind": error("The id in `metadata.id` or `adopt` has the prefix of another kind.", "Correct or remove it."),
  "hostport-syntax": error("A hostport is not host:port with a port up to 65535.", "Write it like a.example.com:443."),
  "previous-name": error("A name in `previousNames` is in use, or claimed twice.", "Remove it where it is wrong."),
  "adopt-conflict": error("`metadata.id` and `adopt` in the configuration have different ids.", "Keep one of them."),
  "metadata-too-large": error("The metadata with the marker exceeds 4096 bytes.", "Shorten spec.metadata."),
  "upstream-min-version": error(
    "`min_version` is set although TLS ends at the upstream.",
    "Remove min_version, or set terminate_at to edge.",
  ),
  "upstream-module": error(
    "A module can't read the traffic with `terminate_at: upstream`.",
    "Remove the module, or set terminate_at to edge.",
  ),
  "upstream-module-doubtful": warning("`terminate_at: upstream` allows few modules.", "Check that the service can."),
  "empty-list": warning("A list is empty, and may need an item.", "Fill it, or remove its module."),
  "certificate-invalid": error("The certificate chain can't be read.", "Provide PEM certificates, leaf first."),
  "certificate-order": error("A certificate isn't signed by the next.", "Put the leaf first, then each issuer."),
  "certificate-holds-key": error(
    "The certificate's text contains a private key, which would be sent and returned in plain text.",
    "Remove the key from it, and treat the key as leaked.",
  ),
  "certificate-expired": warning("A certificate has expired.", "Renew it."),
  "certificate-not-yet-valid": warning("A certificate is not yet valid.", "Check its date and this machine's."),
  "private-key-invalid": error("The private key can't be read.", "Provide a plain PEM key (RSA, ECDSA, Ed25519)."),
  "private-key-mismatch": error("The private key is not that of the leaf.", "Provide the certificate's own key."),
  "webhook-provider": error("The webhook provider is not in upper case.", "Write it in upper case, like GITHUB."),
  "webhook-secret": error("Every webhook provider but SNS needs a secret.", "Add secret: {env: NAME} or {file: path}."),
  "masked-secret": error(
    "A text like `(secret)`, which outputs and exports show, is used as a secret.",
    "Write {env: NAME} or {file: path} instead. In a traffic policy this works only if the policy is an object in the manifest.",
  ),
  "policy-json": error("The traffic policy is not a JSON object.", "Write it as a YAML object, or correct the JSON."),
  "policy-secret": warning(
    "A traffic policy holds a secret in plain text, under a name like `client_secret` or `authorization`.",
    "Write {env: NAME} or {file: path} instead, and change the secret: it may already be in the repository's history.",
  ),
  "policy-secret-name": warning(
    "A traffic policy has a secret under a name that does not look like one, such as `body`.",
    "Rename the member to something like `client_secret` if you can. Otherwise plan with `--base`, which reads the manifests at the merge base too, and change the secret when you remove it.",
  ),
  "policy-phase": warning("edgewise does not know a phase of the policy.", "Correct it, unless the service has it."),
  "policy-phase-misplaced": warning(
    "A phase of the traffic policy belongs to another kind.",
    "Use on_tcp_connect in TLS edges, on_http_request and on_http_response in HTTPS routes.",
  ),
  "policy-action": warning("edgewise does not know an action of the policy.", "Correct it, unless the service has it."),
  "too-many-problems": error("There are more problems than are shown.", "Correct the ones that are shown first."),
} as const satisfies { readonly [C in YamlCode]: CodeEntry } & { readonly [code: string]: CodeEntry };

/** A code of a diagnostic: stable, listed in docs/diagnostics.md. */
export type Code = keyof typeof manifestCodes | SchemaCode;

export const codes: { readonly [C in Code]: CodeEntry } = { ...schemaCodes, ...manifestCodes };
