/** Its entry in docs/diagnostics.md, its rule in SARIF, and its default remedy. */
export type CodeEntry = Readonly<{
  severity: "error" | "warning";
  description: string;
  remedy: string;
}>;

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
  "bad-base-url": error("The base URL is no https URL with at most a path.", "Write it like https://api.example.com."),
  "base-url-elsewhere": error("The base URL differs from EDGEWISE_BASE_URL.", "Correct it, or keep only the variable."),
  "bad-version-header": error("The version header is no name, or has another use.", "Write the header of the service."),
  "bad-page-cache": error("The page cache is hidden, or outside the root.", "Move it, or give --page-cache."),
  "policy-name": error("Two policies have one name. An environment can only add policies.", "Rename one of them."),
  "policy-expression": error("The expression is not valid CEL.", "Correct it; see `edgewise explain Config.policies`."),
  "too-many-errors": error("The document has more errors than are shown.", "Correct those first, then check again."),
} as const satisfies { readonly [code: string]: CodeEntry };

export type SchemaCode = keyof typeof schemaCodes;

const manifestCodes = {
  // The configuration file itself
  "config-writable": error("Every user can change the configuration.", "Run `chmod o-w FILE`, or set the umask."),
  "config-foreign": warning("The configuration belongs to another user.", "Use one of your own, if you can."),

  // The fleet file, and what repositories ask for beyond it
  "fleet-name-unknown": error("The fleet file has no such entry.", "Correct the name, or add what it names."),
  "fleet-git-url": error("A source's address is unsafe, or holds a password.", "Use https or ssh, and `credentials`."),
  "fleet-file-unusable": error("A file that the fleet file names can't be used.", "Check its path and permissions."),
  "fleet-path": error("A path of the fleet file can't be used.", "Write a path relative to the source's top."),
  "fleet-window": error("A window can't be read.", "Write it like mon-fri 07:00-17:00 Europe/Berlin."),
  "fleet-stack-twice": error("Two stacks of a fleet claim the same.", "Give them different names, markers or ids."),
  "fleet-stack-name": error("A stack's name would be no valid part of a Git ref.", "Rename the directory."),
  "fleet-not-allowed": error("The fleet file does not allow what is asked for.", "Remove it, or allow it there."),

  // Which files
  "pattern-no-match": error("A pattern matches no .yaml or .yml file.", "Correct it, relative to the configuration."),
  "file-missing": error("A file does not exist, or is not a regular one.", "Check the path, relative to the manifest."),
  "file-outside": error("A path leads out of the configuration's root.", "Move the file below the root."),
  "file-hidden": error("A part of a path begins with a dot. Such files are never read.", "Rename or move the file."),
  "file-too-large": error("A file is larger than 8 MiB.", "Split it."),
  "file-too-many": error("A directory holds more than 1,000,000 entries.", "Name the manifests' directories."),
  "pattern-too-large": error("A pattern has too much to match.", "Name directories, or simplify the patterns."),
  "input-too-large": error("Manifests, files and variables exceed 256 MiB.", "Split the stack."),
  "file-unreadable": error("A file exists but can't be read.", "Check its permissions."),
  "file-encoding": error("A file is not UTF-8 text, or it contains NUL characters.", "Save it as UTF-8."),
  "file-lfs-pointer": error("A file is a pointer of Git LFS.", "Run `git lfs pull`; --ref and --base can't read LFS."),
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
  "variable-unset": error("A variable has no value.", "Set it with `variables`, --var NAME=VALUE or EDGEWISE_VAR_…."),
  "variable-expression": error("This is no expression.", "Write ${{ vars.NAME }} or ${{ env.NAME }}, or $${{ for ${{."),
  "variable-type": error("A variable inside a text is a map, a list or null.", "Make it the whole value, or use text."),

  // What manifests say
  "inline-secret": error("A secret is in the manifest or in Git.", "Write {env: NAME} or {file: path}, and change it."),
  "secret-unfit": error("A secret is too short, or shown in outputs.", "Choose another, of 8 characters or more."),
  "secret-source": error("A secret's source is not allowed.", "Name a variable or a file that holds only this secret."),
  "secret-file-writable": error("A secret's file can be changed by others.", "Restrict it with `chmod 600 FILE`."),
  "secret-file-exposed": warning("A secret's file is open to other users.", "Use `chmod 600` or `chown`."),
  "secret-unavailable": warning("A secret can't be read here.", "Provide it where `edgewise apply` runs."),
  "duplicate-name": error("Two manifests of the same kind have the same name.", "Rename or remove one of them."),
  "duplicate-id": error("Two manifests name the same existing resource.", "Merge them, or correct the id."),
  "duplicate-hostport": error("A hostport is served twice. Only one edge can serve it.", "Remove it from one of them."),
  "dangling-reference": error("A reference names no manifest.", "Correct it, or write {id: …} or {name: …, stack: …}."),
  "reference-kind": error("The id in a reference is that of another kind.", "Write one of the right kind."),
  "header-invalid": error("HTTP forbids a header's name or value.", "Remove blanks, line breaks and the like."),
  "id-kind": error("The id in `metadata.id` or `adopt` has the prefix of another kind.", "Correct or remove it."),
  "hostport-syntax": error("A hostport is not host:port with a port up to 65535.", "Write it like a.example.com:443."),
  "previous-name": error("A name in `previousNames` is in use, or claimed twice.", "Remove it where it is wrong."),
  "adopt-conflict": error("`metadata.id` and `adopt` in the configuration have different ids.", "Keep one of them."),
  "metadata-too-large": error("The metadata with the marker exceeds 4096 bytes.", "Shorten spec.metadata."),
  "upstream-min-version": error("`min_version` is set beside `upstream`.", "Remove it, or set terminate_at to edge."),
  "upstream-module": error("A module can't work with `upstream`.", "Remove it, or set terminate_at to edge."),
  "upstream-module-doubtful": warning("`terminate_at: upstream` allows few modules.", "Check that the service can."),
  "empty-list": warning("A list is empty, and may need an item.", "Fill it, or remove its module."),
  "certificate-invalid": error("The certificate chain can't be read.", "Provide PEM certificates, leaf first."),
  "certificate-order": error("A certificate isn't signed by the next.", "Put the leaf first, then each issuer."),
  "certificate-holds-key": error("The certificate's text holds a private key.", "Remove it, and treat it as leaked."),
  "certificate-expired": warning("A certificate has expired.", "Renew it."),
  "certificate-not-yet-valid": warning("A certificate is not yet valid.", "Check its date and this machine's."),
  "private-key-invalid": error("The private key can't be read.", "Provide a plain PEM key (RSA, ECDSA, Ed25519)."),
  "private-key-mismatch": error("The private key is not that of the leaf.", "Provide the certificate's own key."),
  "webhook-provider": error("The webhook provider is not in upper case.", "Write it in upper case, like GITHUB."),
  "webhook-secret": error("Every webhook provider but SNS needs a secret.", "Add secret: {env: NAME} or {file: path}."),
  "masked-secret": error("A mask like `(secret)` is used as a secret.", "Write {env: NAME} or {file: path}."),
  "policy-json": error("The traffic policy is not a JSON object.", "Write it as a YAML object, or correct the JSON."),
  "policy-secret": warning(
    "A policy holds a plain secret.",
    "Write {env: NAME} or {file: path}, and change the secret.",
  ),
  "policy-secret-name": warning("A secret has a name like `body`.", "Rename it, or change it when you remove it."),
  "policy-phase": warning("edgewise does not know a phase of the policy.", "Correct it, unless the service has it."),
  "policy-phase-misplaced": warning("A phase is of another kind.", "Use on_tcp_connect in TLS edges, else on_http_*."),
  "policy-action": warning("edgewise does not know an action of the policy.", "Correct it, unless the service has it."),
  "too-many-problems": error("There are more problems than are shown.", "Correct the ones that are shown first."),
} as const satisfies { readonly [code: string]: CodeEntry };

/** A code of a diagnostic: stable, listed in docs/diagnostics.md. */
export type Code = keyof typeof manifestCodes | SchemaCode;

export const codes: { readonly [C in Code]: CodeEntry } = { ...schemaCodes, ...manifestCodes };
