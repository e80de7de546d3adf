import fc from "fast-check";
import { expect, it } from "vitest";
import type { Value } from "../../src/core/json.ts";
import { stage } from "../commands/stage.ts";
import { runs } from "../support/runs.ts";
import { Alias, Document, type Scalar, type YAMLMap, parseDocument, visit } from "yaml";

const styles = ["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;

/** Writes a manifest in many of the styles that YAML has, as the seed has it. */
function writeYaml(manifest: { readonly spec: object }, seed: number, odd: boolean): Written {
  let state = seed;
  const once = (of: number): boolean => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % of === 0;
  };
  const pick = <T>([first, ...more]: readonly [T, ...T[]]): T => more.find(() => once(more.length + 1)) ?? first;
  const document = new Document(manifest);
  const anchors = new Map<unknown, string>();
  visit(document, {
    Collection: (_, node) => void (node.flow = once(4)),
    Map(_, node) {
      node.flow = once(4);
      node.items.sort(() => (once(2) ? 1 : -1));
    },
    Scalar(key, node, path) {
      const isFirst = key === "key" && (path.at(-2) as YAMLMap | undefined)?.items[0] === path.at(-1);
      if (once(6) && !isFirst) node[key === "key" ? "commentBefore" : "comment"] = " c - a: [b] {x}";
      if (typeof node.value === "string") node.type = pick(key === "key" ? ["PLAIN", "QUOTE_SINGLE"] : styles);
      if (key === "key" || typeof node.value !== "string" || !odd || path.length < 5) return undefined;
      const anchor = anchors.get(node.value);
      if (anchor !== undefined) return new Alias(anchor);
      if (once(10)) node.tag = "tag:yaml.org,2002:str";
      if (once(4)) anchors.set(node.value, (node.anchor = `n${anchors.size}`));
      return undefined;
    },
  });
  const options = { indent: pick([2, 3, 4, 8]), indentSeq: once(2), lineWidth: 0 };
  const printed = document.toString(options);
  // The package can't print every comment so that it reads it again, and some it would print in another place.
  const read = parseDocument(printed);
  const asJson = once(10) || read.errors.length > 0 || read.toString(options) !== printed;
  const text = asJson ? `${JSON.stringify(manifest, null, pick([2, 0, 4]))}\n` : printed;
  const parsed = parseDocument(text);
  const spec = parsed.get("spec", true) as YAMLMap<Scalar<string>, { readonly range: readonly [number, number] }>;
  const fields = spec.items.map(({ key, value }): readonly [string, string] => [
    key.value,
    text.slice(key.range?.[0], value?.range[1]).trimEnd(),
  ]);
  return { text, fields: new Map(fields), isBlock: spec.flow !== true && (parsed.contents as YAMLMap).flow !== true };
}

interface Written {
  readonly text: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly isBlock: boolean;
}

type Obj = { readonly [member: string]: Value };

const texts =
  'Public API|true|12|a: b|# no|it\'s|say "hi"|line\nline two|two\n\nblanks\n| led|- dash|a,b]|$${{|~|*star';
const blanks = "trailing |tab\there|---|kept\n\n\n|  led\nby blanks|\n led|\ttab\tand tab\t\n\tmore|ends \nin blanks  ";
const text = fc.oneof(fc.constantFrom(...`${texts}|${blanks}`.split("|")), fc.string({ maxLength: 12 }));
const idsOf = (prefix: string) =>
  fc.uniqueArray(
    fc.integer({ min: 1, max: 4 }).map((end) => ({ id: `${prefix}_${end}` })),
    { minLength: 1, selector: ({ id }) => id },
  );
const rule = fc.record(
  {
    name: fc.constantFrom("log", "stop", "check", "limit"),
    expressions: fc.array(text, { maxLength: 3 }),
    actions: fc.array(
      fc.oneof(
        fc.constantFrom<Obj>({ type: "deny" }, { type: "close-connection" }),
        fc.record({ type: fc.constant("log"), config: fc.record({ metadata: fc.record({ edge: text }) }) }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: ["actions"] },
);
const policy = (phase: string) =>
  fc
    .record({ [phase]: fc.array(rule, { maxLength: 4 }) })
    .chain((one) =>
      fc.constantFrom<Obj>({ value: one }, { value: JSON.stringify(one, null, 2) }, { value: JSON.stringify(one) }),
    );
const module = (members: fc.Arbitrary<Obj>): fc.Arbitrary<Obj> =>
  fc.tuple(members, fc.constantFrom<Obj>({}, { enabled: true }, { enabled: false })).map(([a, b]) => ({ ...a, ...b }));
const fieldsOf = (fields: { readonly [name: string]: fc.Arbitrary<Value> }, always: readonly string[]) =>
  fc.record(fields, { requiredKeys: [...always] }) as fc.Arbitrary<Obj>;
const common = {
  description: text,
  metadata: fc.oneof(
    fc.dictionary(fc.constantFrom("owner", "team", "a b", "1"), fc.oneof(text, fc.integer()), { minKeys: 1 }),
    fc.constantFrom<Value>({ json: [1, 2] }, '{"json": [1, 2]}', ' {"json":\t[1, 2]} \n', '{\n\t"json": [1]\n}\n'),
    text,
  ) as fc.Arbitrary<Value>,
};

const specs = fc.record({
  TLSEdge: fieldsOf(
    {
      ...common,
      hostports: fc.subarray(["a.example.com:443", "b.example.com:443", "c.example.com:443"], { minLength: 1 }),
      backend: module(fc.constant({ backend: { name: "one" } })),
      ip_restriction: module(fc.record({ ip_policies: idsOf("ipp") })),
      mutual_tls: module(fc.record({ certificate_authorities: idsOf("ca") })),
      tls_termination: module(fc.record({ min_version: fc.constantFrom("1.2", "1.3") })),
      traffic_policy: module(policy("on_tcp_connect")),
    },
    ["hostports"],
  ),
  HTTPResponseBackend: fieldsOf(
    {
      ...common,
      status_code: fc.integer({ min: 200, max: 204 }),
      body: text,
      headers: fc.dictionary(fc.constantFrom("retry-after", "x-a", "x-b"), fc.constantFrom("1", "two words", "a: b")),
    },
    ["status_code"],
  ),
  HTTPSEdgeRoute: fieldsOf(
    { edge: fc.constant({ id: "edghts_1" }), traffic_policy: fc.option(policy("on_http_request")) },
    ["edge", "traffic_policy"],
  ),
});

const escaped = (value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("${{", () => "$${{")) as Value;
const manifestOf = (kind: string, spec: Obj) => ({
  apiVersion: "edgewise/v1",
  kind,
  metadata: { name: "one", ...(kind === "HTTPSEdgeRoute" ? { id: "edghtsrt_1" } : {}) },
  spec: escaped(spec) as Obj,
});

it("pull makes any manifest say what is live, touches nothing else, and reports the rest", async () => {
  const on = await stage();
  let [pulledCount, leftCount] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        before: specs,
        after: specs,
        kept: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        seed: fc.nat(),
        odd: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
        windows: fc.boolean(),
      }),
      async ({ after, before, kept, seed, odd, windows }) => {
        const lines = (value: string): string => (windows ? value.replaceAll("\n", "\r\n") : value);
        const live = Object.entries(after).map(([kind, spec]) => {
          const same = Object.entries((before as { [kind: string]: Obj })[kind] ?? {}).filter((_, at) => kept[at]);
          return JSON.stringify(manifestOf(kind, { ...spec, ...Object.fromEntries(same) }));
        });
        await on.write("edge/all.yaml", live.join("\n---\n"));
        const applied = await on.run("apply", "-y", "-q");
        expect(applied.exit, applied.err + live.join("\n")).toBe(0);
        const written = Object.entries(before).map(([kind, spec], at) => ({
          address: `${kind}/one`,
          ...writeYaml(manifestOf(kind, spec), seed + at, odd),
        }));
        const source = lines(written.map((one) => one.text).join("---\n"));
        await on.write("edge/all.yaml", source);
        const pull = await on.run("pull", "-y", "-o", "json");
        expect(pull.out, `${pull.err}\n${source}`).toMatch(/^\{/u);
        const { left, pulled } = JSON.parse(pull.out) as {
          readonly left: readonly { readonly address: string; readonly path: string; readonly message: string }[];
          readonly pulled: readonly {
            readonly address: string;
            readonly fields: readonly { readonly path: string }[];
          }[];
        };
        const result = await on.read("edge/all.yaml");
        const member = (address: string, path: string): string => `${address} ${path.split(".")[1]}`;
        const changed = new Set(
          pulled.flatMap(({ address, fields }) => fields.map(({ path }) => member(address, path))),
        );
        const rest = new Set(left.map(({ address, path }) => member(address, path)));
        for (const { message } of left)
          expect(message, source).toMatch(/anchor|a tag|a comment be(?:side|hind) it|shares a line/u);
        const plan = JSON.parse((await on.run("plan", "-o", "json")).out) as {
          readonly changes: typeof pulled;
        };
        const still = plan.changes.flatMap(({ address, fields }) => fields.map(({ path }) => member(address, path)));
        expect(
          still.filter((one) => !rest.has(one)),
          `${source}\n${result}`,
        ).toEqual([]);
        pulledCount += changed.size;
        leftCount += rest.size;

        for (const { address, fields, isBlock, text: own } of written) {
          const parts = [...fields].filter(([name]) => changed.has(`${address} ${name}`)).map(([, part]) => part);
          // In brackets, the line around a change may be written anew.
          for (const [name, part] of isBlock ? fields : [])
            if (!changed.has(`${address} ${name}`)) expect(result).toContain(lines(part));
          if (!pulled.some((one) => one.address === address)) expect(result).toContain(lines(own));
          if (!isBlock || parts.length === fields.size) continue;
          const others = lines(parts.reduce((all, part) => all.replace(part, () => ""), own)).split("\n");
          const now = result.split("\n");
          let at = 0;
          const missing = others.filter((line) => {
            if (/^\s*(?:#|$)/u.test(line)) return false;
            const found = now.indexOf(line, at);
            if (found !== -1) at = found + 1;
            return found === -1;
          });
          expect(missing, source).toEqual([]);
        }
        if (pulled.length === 0) expect(result).toBe(source);
      },
    ),
    { ...runs(12), endOnFailure: true },
  );
  expect(leftCount).toBeLessThan(pulledCount / 10);
});
