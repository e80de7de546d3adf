import type { Operation } from "../plan/plan-format.js";
import { escapeHtml } from "./escape-html.js";
import { visibleLine } from "./escape.js";

/** Every operation in a table: what, where, after which, why. */
export function operationsTable(operations: readonly Operation[]): string {
  const rows = operations.map((operation) => {
    const after = operation.after.slice(0, 12).map(tableLine).join(", ");
    const more = operation.after.length > 12 ? ` and ${operation.after.length - 12} more` : "";
    return `<tr><td class="tight mono">${tableLine(operation.id)}</td><td class="tight mono">${operation.method}</td><td class="mono">${tableLine(operation.address)}</td><td class="mono">${tableLine(operation.path)}</td><td>${after}${more}</td><td>${operation.why === null ? "" : tableLine(operation.why)}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Operations"><table>
<thead><tr><th scope="col">Id</th><th scope="col">Method</th><th scope="col">Resource</th><th scope="col">Path</th><th scope="col">After</th><th scope="col">Why</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`;
}

function tableLine(text: string): string {
  return escapeHtml(visibleLine(text));
}
