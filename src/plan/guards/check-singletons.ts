import { nameOf, type Address } from "../../kinds/names.js";
import type { LiveIndex } from "../live-resource.js";
import type { FindingsCollector } from "../verdicts.js";
import type { ResourceChange } from "../work.js";

/** Warns when something is made of which services often allow only one, and somebody else has one. */
export function checkSingletons(works: readonly ResourceChange[], index: LiveIndex, verdicts: FindingsCollector): void {
  const made = works.filter(
    (work) => work.kind.singleton !== undefined && work.sequence.some((draft) => draft.makes !== null),
  );
  if (made.length === 0) return;
  const held = new Map<string, string>();
  for (const { kind, spec, owned, id } of index.all) {
    if (!owned && kind.singleton !== undefined) held.set(`${kind.kind}:${kind.singleton(spec)}`, id);
  }
  const deleted = new Map<string, Address>();
  for (const { deleted: gone, address } of works) {
    for (const { kind, spec } of gone)
      if (kind.singleton !== undefined) deleted.set(`${kind.kind}:${kind.singleton(spec)}`, address);
  }
  for (const { kind, result, address } of made) {
    const what = result === null ? undefined : kind.singleton?.(result.spec);
    if (what === undefined) continue;
    const other = held.get(`${kind.kind}:${what}`);
    if (other !== undefined) {
      verdicts.warn(
        "another-exists",
        `${other}, which this stack doesn't own, already is ${what}; services often allow one only`,
        address,
      );
    }
    const former = deleted.get(`${kind.kind}:${what}`);
    if (former !== undefined && former !== address) {
      verdicts.warn(
        "another-exists",
        `${former}, which is deleted afterwards, already is ${what}; services often allow one only. If this is the same under another name, write previousNames: [${nameOf(former)}]`,
        address,
      );
    }
  }
}
