import { statSync } from "node:fs";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { decodeUtf8 } from "../../files/read-bounded.js";
import { writeFile } from "../../files/write-file.js";
import { addrOf } from "../../kinds/codecs.js";
import type { Address } from "../../kinds/names.js";
import type { FileTree } from "../../manifest/file-tree.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { type BesideLive, type DifferencesFromLive, differencesFromLive } from "../../plan/differences-from-live.js";
import { plan } from "../../plan/make-plan.js";
import type { Refusal } from "../../plan/plan-format.js";
import { type Differing, type FieldLeft, type FieldPulled, pullFile } from "../../pull/pull-manifests.js";
import type { Reason } from "../../pull/edit-node.js";
import { type LiveNames, namesOf } from "../../pull/wanted-value.js";
import { type CommandContext, loadOptions } from "./command-context.js";
import type { CommandIo } from "./command-io.js";
import { workplaceOf } from "./output.js";
import type { Planned } from "./planning.js";

type ManifestFile = Readonly<{
  path: string;
  bytes: Uint8Array;
  text: string;
}>;

type ManifestRewrite = Readonly<{
  file: ManifestFile;
  text: string;
}>;

export async function readManifestFiles(tree: FileTree, paths: readonly string[]): Promise<readonly ManifestFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await tree.read(path);
      return { path, bytes, text: decodeUtf8(bytes) ?? "" };
    }),
  );
}

export async function checkRewrites(rewrites: readonly ManifestRewrite[], tree: FileTree): Promise<void> {
  for (const { file } of rewrites) {
    // Replacing it needs no permission to write to it, but its owner meant something by that.
    if ((statSync(join(tree.root, file.path)).mode & 0o222) === 0)
      throw new EdgewiseError(
        "io",
        `${file.path} can't be written: it is read-only; no file was changed`,
        "Make it writable (chmod u+w), or name the addresses of other files.",
      );
    if (Buffer.compare(await tree.read(file.path), file.bytes) !== 0)
      throw new EdgewiseError(
        "io",
        `${file.path} was changed by something else meanwhile; no file was changed`,
        "Run edgewise pull again.",
      );
  }
}

export async function writeRewrites(
  rewrites: readonly ManifestRewrite[],
  io: CommandIo,
  tree: FileTree,
): Promise<void> {
  const written: string[] = [];
  for (const { file, text } of rewrites) {
    // Unmasked, which would damage it: the file held it, or it is live outside of secrets.
    const mark = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf ? "\ufeff" : "";
    try {
      await writeFile(join(tree.root, file.path), mark + text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError) || written.length === 0) throw error;
      throw new EdgewiseError("io", `${error.message}; already written: ${written.join(", ")}`, {
        remedy: "Run edgewise pull again for the rest.",
        exit: 3,
        cause: error,
      });
    }
    written.push(file.path);
  }
}

export type CheckedPull = Readonly<{
  rewrites: readonly ManifestRewrite[];
  pulled: readonly FieldPulled[];
  left: readonly FieldLeft[];
}>;

/** A manifest that no longer loads, or still differs, is left as it is, with the reason. */
export async function pullChecked(
  differing: readonly Differing[],
  all: DifferencesFromLive,
  planned: Planned,
  context: CommandContext,
  tree: FileTree,
): Promise<CheckedPull> {
  const { redactor } = context.io;
  const isSecret = (text: string) => text !== "" && redactor.redact(text) !== text;
  const names = namesOfDescribed(all.manifests, planned);
  const files = await readManifestFiles(tree, [...new Set(differing.map(({ manifest }) => manifest.source.file))]);
  const refused = new Map<Address, Reason>();
  for (;;) {
    const pulls = files.map((file) => {
      const own = differing.filter(({ manifest }) => manifest.source.file === file.path);
      const safe = own.map((one) => ({ ...one, refused: refused.get(one.manifest.address) }));
      return { file, ...pullFile(file.text, safe, { names, isSecret }) };
    });
    const pulled = pulls.flatMap((one) => one.pulled);
    const texts = new Map(pulls.map(({ file, text }) => [file.path, new TextEncoder().encode(text)]));
    const overlaid = { ...tree, read: async (path: string) => texts.get(path) ?? tree.read(path) };
    const found =
      pulled.length === 0
        ? new Map<never, never>()
        : await whyRefused(pulled, all.manifests, planned, context, overlaid);
    if (found.size === 0)
      return {
        rewrites: pulls.flatMap(({ file, text }) => (text === file.text ? [] : [{ file, text }])),
        pulled,
        left: pulls.flatMap((one) => one.left),
      };
    for (const [address, why] of found) refused.set(address, why);
  }
}

/** With `-f` also what other files describe. */
function namesOfDescribed(manifests: readonly BesideLive[], { live, options }: Planned): LiveNames {
  const described = manifests.flatMap(({ current, manifest: { kind, name } }) =>
    current === null ? [] : [{ kind, name, id: current.id, addr: addrOf(current.kind, current.wire) }],
  );
  return namesOf(options.lookUp ? [...differencesFromLive([], live, options).undescribed, ...described] : described);
}

/** Of manifests that pulled fields would spoil. */
async function whyRefused(
  pulled: readonly FieldPulled[],
  before: readonly BesideLive[],
  planned: Planned,
  context: CommandContext,
  tree: FileTree,
): Promise<ReadonlyMap<Address, Reason>> {
  const addresses = [...new Set(pulled.map(({ address }) => address))];
  const because = (some: readonly Address[], why: string, remedy: string) =>
    some.map((address) => [address, { reason: `stays: its manifest ${why}`, remedy }] as const);
  const { diagnostics, manifests } = await loadManifests(loadOptions(context, tree));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const invalid = errors.flatMap(({ address, message }) => {
    const own = addresses.filter((one) => one === address);
    const named = addresses.filter((one) => message.includes(one));
    const blamed = [own, named].find(({ length }) => length > 0) ?? addresses;
    const remedy = "make the change by hand, with what belongs to it";
    return because(blamed, `would no longer be valid: ${message}`, remedy);
  });
  if (invalid.length > 0) return new Map(invalid);
  const after = differencesFromLive(manifests, planned.live, planned.options).manifests;
  const [old, now] = [before, after].map(pathsOf);
  const differing = addresses.filter((address) => {
    const own = pulled.flatMap((one) => (one.address === address ? `${one.path}.` : []));
    const known = old?.get(address) ?? [];
    return (
      !own.includes("metadata.id.") &&
      now?.get(address)?.some((path) => !known.includes(path) || own.some((one) => `${path}.`.startsWith(one)))
    );
  });
  if (differing.length > 0)
    return new Map(because(differing, "would still differ from what is live", "make the change by hand"));
  const { judged: _judged, ...options } = planned.options;
  const known = new Set(plan(planned.desired, planned.live, options).refusals.map(keyOf));
  // A reference to something that is gone.
  const refused = plan(manifests, planned.live, options).refusals.flatMap((refusal) => {
    const own = known.has(keyOf(refusal)) ? [] : addresses.filter((address) => address === refusal.address);
    const remedy = "correct what is live, or apply to put back what the manifest says";
    return because(own, `would be refused: ${refusal.message}`, remedy);
  });
  return new Map(refused);
}

function keyOf({ address, code }: Refusal): string {
  return `${code} ${address}`;
}

function pathsOf(manifests: readonly BesideLive[]): ReadonlyMap<Address, readonly string[]> {
  return new Map(manifests.map(({ changed, manifest }) => [manifest.address, changed.map(({ path }) => path)]));
}
