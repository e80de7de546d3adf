import { escapeHtml } from "./escape-html.js";

/** One choice of a filter. */
export interface FilterChoice {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

/** The bar that filters cards by group and impact; hidden until the script that makes it work has run. */
export function htmlFilters(
  groupTitle: string,
  groups: readonly FilterChoice[],
  impacts: readonly FilterChoice[],
): string {
  return `<div class="filters" id="filters" role="search" aria-label="Filter" hidden>
${filterFieldset(groupTitle, "group", groups)}
${filterFieldset("Impact", "impact", impacts)}
<input type="search" placeholder="Find by address" aria-label="Find by address">
<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button>
<span class="status" id="status" role="status"></span>
</div>`;
}

function filterFieldset(title: string, name: string, list: readonly FilterChoice[]): string {
  const pills = list.map(
    ({ value, label, count }) =>
      `<label class="pill"><input type="checkbox" name="${name}" value="${escapeHtml(value)}" checked><span>${escapeHtml(label)} ${count}</span></label>`,
  );
  return `<fieldset><legend>${escapeHtml(title)}</legend>${pills.join("")}</fieldset>`;
}

/** Counts items for the choices of a filter, in the order given; choices that nothing has are left out. */
export function filterChoices<T>(
  items: readonly T[],
  values: readonly string[],
  of: (item: T) => string,
): readonly FilterChoice[] {
  const counts = new Map(values.map((value) => [value, 0]));
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 0).map(([value, count]) => ({ value, label: value, count }));
}
