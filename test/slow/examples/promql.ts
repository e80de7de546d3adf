import { parser } from "@prometheus-io/lezer-promql";

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly equals: boolean; readonly value: string }[];
}

export interface ReadExpression {
  readonly selectors: readonly Selector[];
  /** The labels after `by`, `without`, `on` and `ignoring`. */
  readonly grouped: readonly string[];
}

/** Reads PromQL with Prometheus' own grammar. @throws Error for what it refuses */
export function readExpression(expression: string): ReadExpression {
  const selectors: { metric: string; matchers: { label: string; equals: boolean; value: string }[] }[] = [];
  const grouped: string[] = [];
  let isMatcher = false;
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      const text = expression.slice(from, to);
      const selector = selectors.at(-1);
      const matcher = selector?.matchers.at(-1);
      if (type.isError) throw new Error(`no PromQL at character ${from + 1}: ${expression}`);
      if (type.name === "VectorSelector") selectors.push({ metric: "", matchers: [] });
      if (type.name === "Identifier" && selector !== undefined) selector.metric = text;
      if (type.name === "LabelMatchers") isMatcher = true;
      if (type.name === "LabelName" && !isMatcher) grouped.push(text);
      if (type.name === "LabelName" && isMatcher) selector?.matchers.push({ label: text, equals: false, value: "" });
      if (type.name === "EqlSingle" && matcher !== undefined) matcher.equals = true;
      if (type.name === "StringLiteral" && matcher !== undefined) matcher.value = text.slice(1, -1);
    },
    leave({ type }) {
      if (type.name === "LabelMatchers") isMatcher = false;
    },
  });
  return { selectors, grouped };
}
