import { claimText } from "../kinds/kind.js";
import type { Operation, Plan } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { fitPage } from "./fit-page.js";
import type { Notices } from "./html-parts.js";

/** What one operation releases and another takes. */
interface Handover {
  readonly from: Operation;
  readonly to: Operation;
  readonly claims: Set<string>;
}

/** The moves of a plan, like a hostport's from one edge to another, as arrows; as many as fit into a number of bytes. */
export function movesHtml({ operations }: Pick<Plan, "operations">, room: number): Notices {
  const moves = handovers(operations);
  if (moves.length === 0) return { html: "", bytes: 0 };
  const items = moves.map((move) => ({ rank: 0, forms: [() => moveHtml(move)] }));
  const { bytes, omitted, shown } = fitPage(items, room);
  const claims = moves.reduce((sum, move) => sum + move.claims.size, 0);
  const rest = omitted === 0 ? "" : `\n<p class="soft">${count(omitted, "more move")} not shown</p>`;
  return {
    html: `<section id="moves"><h2>Moves <small>${claims} · released by one resource, taken by another</small></h2>
<ul class="moves">
${shown.filter((item) => item !== null).join("\n")}
</ul>${rest}</section>`,
    bytes,
  };
}

function handovers(operations: readonly Operation[]): readonly Handover[] {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const seen = new Set<string>();
  const moves = new Map<string, Handover>();
  for (const from of operations) {
    for (const release of [from.temporary, from.handsOver]) {
      for (const [claim, taker] of Object.entries(release?.claims ?? {})) {
        const to = byId.get(taker);
        // A release in two parts names what it releases in both.
        if (to === undefined || seen.has(`${taker} ${claim}`)) continue;
        seen.add(`${taker} ${claim}`);
        const key = `${from.id} ${taker}`;
        const move = moves.get(key) ?? { from, to, claims: new Set() };
        moves.set(key, move);
        move.claims.add(claim);
      }
    }
  }
  return [...moves.values()];
}

/** Most characters of an address or a claim. */
const mostOfName = 500;

function moveHtml({ claims, from, to }: Handover): string {
  const side = (operation: Operation, does: string): string =>
    `<span class="side"><code>${escapeHtmlLine(cut(operation.address, mostOfName))}</code> <small>${escapeHtml(does)} by ${escapeHtmlLine(cut(operation.id, mostOfName))}</small></span>`;
  const names = [...claims].map((claim) => `<code>${escapeHtmlLine(cut(claimText(claim), mostOfName))}</code>`);
  return `<li>${side(from, "released")}<span class="way">${names.join(" ")}</span>${side(to, "taken")}</li>`;
}
