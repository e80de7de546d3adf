import { dirname } from "node:path";
import { type FileTree, treePath } from "../file-tree.js";
import type { ManifestProblem, ParsedManifest } from "../parsed-manifest.js";

/** Where the text of a field comes from. */
interface TextSource {
  /** The path that the manifest names for it; null = the text is in the manifest. */
  readonly written: string | null;
  readonly manifest: ParsedManifest;
  readonly tree: Pick<FileTree, "root">;
}

/**
 * The place of a character of a field's text: in the file that holds it, or in the manifest where the text stands there as
 * it is. A text that is folded or has escapes is shown at its beginning.
 */
export function placeInText(
  text: string,
  index: number,
  { manifest, tree, written }: TextSource,
): Pick<ManifestProblem, "elsewhere" | "improve"> {
  // Its file could be read, so that the path is a good one.
  if (written !== null)
    return { elsewhere: { file: treePath(tree.root, dirname(manifest.file), written), offset: index } };
  return {
    improve: (value) => {
      const offset = value.offsetOf(text, index);
      return offset === null ? null : { offset };
    },
  };
}
