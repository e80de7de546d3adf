import { readMarker } from "../kinds/marker.js";
import { type Address, type KindName, collectionOf, kindNames, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { cut } from "../text/layout.js";
import type { ExportDocument } from "./export-document.js";
import { resourceKey } from "./exported-resources.js";
import type { MatchedResource, MatchedState } from "./match-tfstate.js";
import type { TfResource } from "./read-tfstate.js";

/** What became of everything in a Terraform state. Members as in schemas/export.schema.json. */
export interface StateReport {
  /** What has a manifest now. A resource that stands in the state twice is here twice. */
  readonly exported: readonly {
    readonly terraform: string;
    readonly address: Address;
    readonly id: string;
  }[];
  /** What is of a kind that edgewise manages, and has no manifest. */
  readonly notExported: readonly {
    readonly terraform: string;
    readonly id: string | null;
    /** In words, without a full stop. */
    readonly reason: string;
  }[];
  /** What edgewise doesn't manage, by type. */
  readonly unmanaged: readonly { readonly type: string; readonly terraform: readonly string[] }[];
}

/** What an export made of the resources that a state names. */
export interface ExportOutcome {
  readonly live: Live;
  readonly documents: readonly ExportDocument[];
  /** This stack, and those that it was called before. */
  readonly stacks: readonly string[];
  /** The kinds that were asked for. */
  readonly kinds: readonly KindName[];
  /** Why resources that were selected have no manifest, by `resourceKey`. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The statuses of what could not be read by its id, by `resourceKey`. */
  readonly refused: ReadonlyMap<string, number>;
}

/** A report for programs, and the same for people: what is exported needs no line. */
export interface ReportedState {
  readonly report: StateReport;
  readonly lines: readonly string[];
}

/** Says of every resource of a state what became of it, so that nothing is dropped silently. */
export function reportTfState({ matched, unmanaged }: MatchedState, outcome: ExportOutcome): ReportedState {
  const documents = new Map(
    outcome.documents.map((document) => [resourceKey(document.kind, document.id), document] as const),
  );
  const exported: StateReport["exported"][number][] = [];
  const notExported: StateReport["notExported"][number][] = [];
  const lines: string[] = [];
  const missing = reasonFinder(outcome);
  for (const each of matched.filter(({ kind }) => outcome.kinds.includes(kind))) {
    const { kind, resource, sameAs } = each;
    const { address, condition, id } = resource;
    const document = id === null ? undefined : documents.get(resourceKey(kind, id));
    if (document === undefined || id === null || condition === "deposed") {
      const { known, reason } = missing(each);
      notExported.push({ terraform: address.text + address.inside, id, reason });
      // A warning says it already, with more to do about it.
      if (!known) lines.push(`${shown(resource)} was not exported: ${reason}`);
      continue;
    }
    exported.push({ terraform: address.text, address: document.address, id });
    if (kinds[kind].collection === null && address.inside === "" && sameAs === null) {
      lines.push(
        `${shown(resource)}: edgewise manages ${modulesInWords(kind)} of it; what else it has, nobody manages once it has left Terraform`,
      );
    }
    if (sameAs !== null) lines.push(`${shown(resource)} is the same resource as ${shown(sameAs)}: ${document.address}`);
    if (condition === "tainted") {
      lines.push(
        `${shown(resource)} is tainted: Terraform would replace it, and ${document.address} adopts it as it is`,
      );
    }
  }
  const reported = unmanaged.map(({ resources, type }) => ({
    type,
    terraform: resources.map(({ address }) => address.text),
  }));
  return {
    report: { exported, notExported, unmanaged: reported },
    lines: [...firstOf(lines), ...linesOfUnmanaged(unmanaged)],
  };
}

/** Of a kind that is managed in parts: which, and those of what it contains. */
function modulesInWords(kind: KindName): string {
  const modules = kinds[kind].fieldList.filter(({ field }) => field.module !== undefined).map(({ name }) => name);
  const contained = kindNames.filter((each) => kinds[each].terraformPart?.of === kind);
  return [...modules, ...contained.map((each) => `modules of each ${kinds[each].title}`)].join(", ");
}

/** How many lines there are at most about single resources, addresses in one line, and characters of one: comments of them go into a file that is read again. */
const shownLines = 1000;
const shownAddresses = 50;
const shownCharacters = 200;

function firstOf(lines: readonly string[]): readonly string[] {
  const more = lines.length - shownLines;
  if (more <= 0) return lines;
  return [...lines.slice(0, shownLines), `the same goes for ${more} more resources of the state: -o json has them all`];
}

function shown({ address }: Pick<TfResource, "address">): string {
  return cut(address.text + address.inside, shownCharacters);
}

function linesOfUnmanaged(unmanaged: MatchedState["unmanaged"]): readonly string[] {
  const ofService = unmanaged.filter((each) => each.ofService);
  const others = unmanaged.filter((each) => !each.ofService);
  const lines = ofService.map(({ resources, type }) => {
    const addresses = resources.slice(0, shownAddresses).map(shown);
    const more = resources.length > addresses.length ? `, and ${resources.length - addresses.length} more` : "";
    return `edgewise doesn't manage ${cut(type, shownCharacters)}, which stays with Terraform (${resources.length}): ${addresses.join(", ")}${more}`;
  });
  if (others.length === 0) return lines;
  const counts = others
    .slice(0, shownAddresses)
    .map(({ resources, type }) => `${cut(type, shownCharacters)} (${resources.length})`);
  const more = others.length > counts.length ? `, and ${others.length - counts.length} more types` : "";
  return [...lines, `other types stay with Terraform, as no id of them is known here: ${counts.join(", ")}${more}`];
}

/** Finds out why something has no manifest. `known`: a warning of the export says so too. */
function reasonFinder({
  live,
  reasons,
  refused,
  stacks,
}: ExportOutcome): (matched: MatchedResource) => { readonly known: boolean; readonly reason: string } {
  const wires = new Map(
    listedKinds.flatMap((kind) =>
      live.lists[kind].map((wire) => [resourceKey(kind, String(wire["id"])), wire] as const),
    ),
  );
  const news = (reason: string): { readonly known: false; readonly reason: string } => ({ known: false, reason });
  return ({ kind, resource: { condition, id } }) => {
    if (id === null) return news("the state has no id of it");
    if (condition === "deposed") {
      return news(`it is deposed: Terraform has replaced ${id}, and would delete it with its next apply`);
    }
    const unreadable = live.unreadable.find((each) => each.kind === kind);
    if (unreadable !== undefined) {
      return news(`listing ${collectionOf(unreadable.kind).path} returned HTTP ${unreadable.status}`);
    }
    const reason = reasons.get(resourceKey(kind, id));
    if (reason !== undefined) return { known: true, reason };
    const status = refused.get(resourceKey(kind, id));
    if (status !== undefined) return news(`reading the modules of ${id} returned HTTP ${status}`);
    if (kinds[kind].collection === null) return news(`${id} is not live, or has no module that edgewise manages`);
    const wire = wires.get(resourceKey(kind, id));
    if (wire === undefined) {
      return news(`no live ${kind} has the id ${id}: it was deleted, or it is in another account`);
    }
    const { marker } = readMarker(wire["metadata"]);
    if (marker !== null) {
      return news(
        stacks.includes(marker.stack)
          ? `this stack owns ${kind} ${id} already; --all exports it, too`
          : `${kind} ${id} belongs to stack ${marker.stack} already`,
      );
    }
    const managed = kinds[kind].managedByService?.(wire) ?? null;
    return managed === null ? news(`${kind} ${id} was not selected`) : { known: true, reason: managed };
  };
}
