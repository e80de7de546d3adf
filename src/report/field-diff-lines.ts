import type { FieldView } from "./field-view.js";

/** Fields as lines for a `diff` fence: marks in the first column, everything else indented. */
export function fieldDiffLines(views: readonly FieldView[], words: "plan" | "drift"): readonly string[] {
  return views.flatMap((view) => {
    const tags = view.tags.map((tag) => ` (${tag})`).join("");
    const reason = view.reason === null ? [] : [`# ${view.impact}: ${view.reason}`];
    return [...reason, ...valueLines(view, tags, words)];
  });
}

function valueLines(view: FieldView, tags: string, words: "plan" | "drift"): readonly string[] {
  if (view.lines !== null) {
    return [
      `@@ ${view.path}${tags} @@`,
      ...view.lines.map((line) => (line.mark === "gap" ? `  ⋮ ${line.text}` : `${line.mark} ${line.text}`)),
    ];
  }
  const [live, manifest] = words === "drift" ? [" (live)", " (manifest)"] : ["", ""];
  if (view.sign === "~" && (view.before === null || view.after === null)) {
    return [`! ${view.path}: ${view.after ?? view.before ?? "(none)"}${tags}`];
  }
  return [
    ...(view.before === null ? [] : [`- ${view.path}: ${view.before}${live}`]),
    ...(view.after === null ? [] : [`+ ${view.path}: ${view.after}${manifest}${tags}`]),
  ];
}
