import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, Value, ValueObject } from "../../src/core/json.ts";
import { kinds } from "../../src/kinds/registry.ts";
import {
  type KindName,
  type ListedKind,
  type ModuleKind,
  addressOf,
  forListedKinds,
  moduleKinds,
} from "../../src/kinds/names.ts";
import type { Live, LiveModules } from "../../src/live/live.ts";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { differencesFromLive } from "../../src/plan/differences-from-live.ts";
import type { PlanOptions } from "../../src/plan/options.ts";
import { type FieldLeft, pullFile } from "../../src/pull/pull-manifests.ts";
import { namesOf } from "../../src/pull/wanted-value.ts";
import { Secret } from "../../src/core/secret.ts";
import { memoryTree, optionsFor } from "../manifest/support/load-text.ts";
import { defaults } from "../plan/support/account.ts";
import { runs } from "../support/runs.ts";
import { YamlWriter } from "./support/write-yaml.ts";

type Obj = { readonly [member: string]: Value };

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const text = fc.oneof(
  fc.constantFrom(
    "Public API",
    "true",
    "12",
    "a: b",
    "# no",
    "it's",
    'say "hi"',
    "line\nline two",
    "two\n\nblanks\n",
    " led",
    "- dash",
    "a,b]",
    "$${{",
    "~",
    "*star",
    "trailing ",
    "tab\there",
    "---",
  ),
  fc.string({ maxLength: 12 }),
);
const id = fc.constantFrom("1", "2", "3", "4").map((end) => ({ id: `ipp_${end}` }));
const ca = fc.constantFrom("1", "2", "3").map((end) => ({ id: `ca_${end}` }));
const action = fc.oneof(
  fc.constantFrom<Obj>({ type: "log" }, { type: "deny" }, { type: "close-connection" }),
  fc.record({
    type: fc.constant("log"),
    config: fc.record({ metadata: fc.record({ edge: text, n: fc.integer({ min: 0, max: 9 }) }) }),
  }),
);
const rule = fc.record(
  {
    name: fc.constantFrom("log", "stop", "check", "limit"),
    expressions: fc.array(text, { maxLength: 3 }),
    actions: fc.array(action, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["actions"] },
);
const httpPolicy = fc.record({ on_http_request: fc.array(rule, { maxLength: 4 }) });
const policy = fc.record({ on_tcp_connect: fc.array(rule, { maxLength: 4 }) });
const enabled = fc.constantFrom<{ enabled?: boolean }>({}, {}, { enabled: true }, { enabled: false });
const withEnabled = (module: fc.Arbitrary<Obj>): fc.Arbitrary<Obj | undefined> =>
  maybe(fc.tuple(module, enabled).map(([members, on]) => ({ ...members, ...on })));
const orNull = (module: fc.Arbitrary<Obj>): fc.Arbitrary<Value> => fc.option(module, { nil: null, freq: 4 });
const metadata = maybe(
  fc.oneof(
    fc.dictionary(fc.constantFrom("owner", "team", "a b", "1"), fc.oneof(text, fc.integer(), fc.constant(null)), {
      minKeys: 1,
    }),
    fc.constantFrom<Value>(
      "free text",
      { json: [1, 2] },
      '{"json": [1, 2]}',
      ' {"json":\t[1, 2]} \n',
      '{\n\t"json": [1]\n}\n',
    ),
    fc.constantFrom(
      "two\n\nblanks\n",
      "kept\n\n\n",
      "  led\nby blanks",
      "\n led",
      "\ttab\tand tab\t\n\tmore",
      "ends \nin blanks  ",
    ),
    text,
  ),
) as fc.Arbitrary<Value | undefined>;
const common = { description: maybe(text.filter((t) => Buffer.byteLength(t) < 200)), metadata };

/** Specs of each kind as manifests say them; the same generator makes what is live. */
const specs: { readonly [kind: string]: fc.Arbitrary<{ readonly [m: string]: Value | undefined }> } = {
  TLSEdge: fc.record({
    ...common,
    hostports: fc.uniqueArray(
      fc.constantFrom("a", "b", "c", "d").map((host) => `${host}.example.com:443`),
      { minLength: 1, maxLength: 4 },
    ),
    backend: withEnabled(fc.constantFrom<Obj>({ backend: { id: "bkdhr_x" } }, { backend: { name: "b" } })),
    ip_restriction: withEnabled(
      fc.record({ ip_policies: fc.uniqueArray(id, { minLength: 1, selector: (one) => one.id }) }),
    ),
    mutual_tls: withEnabled(
      fc.record({ certificate_authorities: fc.uniqueArray(ca, { minLength: 1, selector: (one) => one.id }) }),
    ),
    tls_termination: withEnabled(
      fc.record(
        { terminate_at: fc.constant("edge"), min_version: fc.constantFrom("1.2", "1.3") },
        { requiredKeys: [] },
      ),
    ),
    traffic_policy: withEnabled(
      fc
        .oneof(
          policy,
          policy.map((one) => JSON.stringify(one, null, 2)),
          policy.map((one) => JSON.stringify(one)),
        )
        .map((value) => ({ value })),
    ),
  }),
  HTTPResponseBackend: fc.record({
    ...common,
    status_code: fc.integer({ min: 200, max: 204 }),
    body: maybe(text),
    headers: maybe(
      fc.dictionary(fc.constantFrom("retry-after", "x-a", "x-b"), fc.constantFrom("1", "two words", "a: b")),
    ),
  }),
  HTTPSEdgeRoute: fc.record({
    edge: fc.constant({ id: "edghts_1" }),
    webhook_verification: fc.oneof(
      fc.constant(undefined),
      fc
        .tuple(fc.constantFrom("GITHUB", "SLACK"), enabled)
        .map(([provider, on]) => ({ provider, secret: { env: "WS" }, ...on })),
    ),
    traffic_policy: orNull(
      fc
        .oneof(
          httpPolicy,
          httpPolicy.map((one) => JSON.stringify(one, null, 4)),
        )
        .map((value) => ({ value })),
    ),
  }),
};

const name: { readonly [kind: string]: string } = {
  TLSEdge: "e",
  HTTPResponseBackend: "b",
  HTTPSEdgeRoute: "w",
};
const resourceIds: { readonly [kind: string]: string } = {
  TLSEdge: "edgtls_1",
  HTTPResponseBackend: "bkdhr_1",
  HTTPSEdgeRoute: "edghtsrt_1",
};
const isModuleKind = (kind: string): kind is ModuleKind => (moduleKinds as readonly string[]).includes(kind);

/** The modules that a manifest names, as they are live. */
function modulesOf(kind: ModuleKind, before: Obj, after: Obj): LiveModules {
  const modules = kinds[kind].fieldList.flatMap(
    ({ field, name: member }): (readonly [string, ValueObject | null])[] => {
      if (field.module === undefined || before[member] === undefined) return [];
      const value = (after[member] ?? null) as Obj | null;
      if (value === null) return [[member, null]];
      const { secret: _secret, value: policyValue, ...rest } = value;
      const live = {
        enabled: true,
        ...rest,
        ...(member === "webhook_verification" ? { secret: Secret.of("webhook-secret", "live") } : {}),
        ...(policyValue === undefined
          ? {}
          : { value: typeof policyValue === "string" ? policyValue : JSON.stringify(policyValue) }),
      };
      return [[member, live]];
    },
  );
  return { kind, id: resourceIds[kind] ?? "", modules: Object.fromEntries(modules) };
}

/** What the service returns for a resource that a manifest like this made. */
function wireOf(kind: string, spec: { readonly [m: string]: Value | undefined }): JsonObject {
  const marker = { stack: "demo", name: name[kind] ?? "" };
  const user = spec["metadata"];
  const own =
    typeof user === "string" && user !== ""
      ? { edgewise: { ...marker, text: user } }
      : { edgewise: marker, ...(user as Obj) };
  const wire: { [m: string]: Value } = { id: resourceIds[kind] ?? "", created_at: "2026-01-01T00:00:00Z" };
  for (const { field, name: member } of kinds[kind as ListedKind].fieldList) {
    let value: Value = spec[member] ?? (field.unset === "inherit" ? null : field.unset.value);
    if (member === "traffic_policy" && value !== null) {
      const module = value as Obj;
      value = {
        enabled: true,
        ...module,
        value: typeof module["value"] === "string" ? module["value"] : JSON.stringify(module["value"]),
      };
    } else if (field.module !== undefined && value !== null) value = { enabled: true, ...(value as Obj) };
    const asLive = JSON.stringify(value).replaceAll('{"name":"b"}', '{"id":"bkdhr_1"}');
    wire[member] = JSON.parse(asLive) as Value;
  }
  wire["metadata"] = JSON.stringify(own);
  return wire as JsonObject;
}

const options: PlanOptions = { ...defaults, stack: "demo", moduleEndpoints: ["backend", "ip_restriction"] };

const load = async (source: string): Promise<readonly Manifest[]> => {
  const loaded = await loadManifests(
    optionsFor("/root", { tree: memoryTree({ "m.yaml": source }), stack: "demo", env: { WS: "webhook-secret" } }),
  );
  const errors = loaded.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new Error(`${errors.map(({ code, message }) => `${code}: ${message}`).join("\n")}\n${source}`);
  return loaded.manifests;
};

const cleaned = (spec: { readonly [m: string]: Value | undefined }): Obj =>
  Object.fromEntries(Object.entries(spec).flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])));

const escaped = (value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("${{", () => "$${{")) as Value;

/** Reasons that are right: everything else must be pulled. */
const rightReasons = /anchor|a tag|a comment beside it|a comment behind it/u;

/** A module with a secret, which only a person can write or give up. */
const isSecretModule = ({ path, reason }: FieldLeft): boolean =>
  path === "spec.webhook_verification" && /secret/u.test(reason);

describe("pull of any manifest", () => {
  it("makes manifests say what is live, touches nothing else, and reports the rest", async () => {
    let [pulledCount, leftCount, unloadable] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          before: fc.record(specs as { [kind: string]: fc.Arbitrary<Obj> }),
          after: fc.record(specs as { [kind: string]: fc.Arbitrary<Obj> }),
          chosen: fc.subarray(Object.keys(specs) as KindName[], { minLength: 1 }),
          kept: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
          seed: fc.integer(),
          habits: fc.record({
            json: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
            anchors: fc.boolean(),
            tags: fc.boolean(),
          }),
          windows: fc.boolean(),
        }),
        async ({ after, before, chosen, habits, kept, seed, windows }) => {
          // An edge may refer to the backend.
          const missing = chosen.includes("TLSEdge") && !chosen.includes("HTTPResponseBackend");
          const order: readonly KindName[] = missing ? [...chosen, "HTTPResponseBackend"] : chosen;
          const single = habits.json ? order.slice(0, 1) : order;
          const documents = order.map((kind, at) => {
            const one = single.includes(kind) || !habits.json;
            const spec = cleaned(before[kind] ?? {});
            const writer = new YamlWriter(seed + at, one ? habits : { ...habits, json: false });
            const source = writer.document({
              apiVersion: "edgewise/v1",
              kind,
              metadata: {
                name: name[kind] ?? "",
                labels: { a: "b" },
                ...(isModuleKind(kind) ? { id: resourceIds[kind] ?? "" } : {}),
              },
              spec: escaped(spec),
            });
            return { kind, source, fields: writer.fields };
          });
          const lines = (value: string): string => (windows ? value.replaceAll("\n", "\r\n") : value);
          const source = lines(documents.map((one) => one.source).join("---\n"));
          const desired = await load(source).catch(() => null);
          if (desired === null) return void (unloadable += 1);
          // Some fields stay as they are.
          const liveSpecs = order.map((kind) => {
            const spec: { [m: string]: Value | undefined } = { ...after[kind] };
            for (const [at, member] of Object.keys(spec).entries())
              if (kept[at] === true) spec[member] = before[kind]?.[member];
            return { kind, spec };
          });
          const live: Live = {
            lists: forListedKinds((kind) =>
              liveSpecs.filter((one) => one.kind === kind).map((one) => wireOf(kind, one.spec)),
            ),
            unreadable: [],
            modules: liveSpecs.flatMap(({ kind, spec }) =>
              isModuleKind(kind) ? [modulesOf(kind, before[kind] ?? {}, cleaned(spec))] : [],
            ),
          };
          const found = differencesFromLive(desired, live, options).manifests;
          const names = namesOf(
            found.flatMap(({ current, manifest }) =>
              current === null ? [] : [{ kind: manifest.kind, name: manifest.name, id: current.id, addr: null }],
            ),
          );
          const differing = found.flatMap(({ changed, current, manifest }) =>
            current === null || changed.length === 0 ? [] : [{ manifest, live: current.spec, changed }],
          );
          const result = pullFile(source, differing, { names, isSecret: () => false });

          // What was pulled is as it is live; all else is reported.
          const reloaded = await load(result.text);
          const later = differencesFromLive(reloaded, live, options).manifests;
          const still = later.flatMap(({ changed, manifest }) =>
            changed.map(({ path }) => `${manifest.address} ${path}`),
          );
          const left = new Set(result.left.map(({ address, path }) => `${address} ${path}`));
          expect(
            still.filter((one) => !left.has(one) && !left.has(one.split(".").slice(0, 2).join("."))),
            result.text,
          ).toEqual([]);
          const wrong = result.left.filter((one) => !rightReasons.test(one.reason) && !isSecretModule(one));
          expect(
            wrong.map(
              ({ address, path, reason }) =>
                `${address} ${path} ${reason} FROM ${JSON.stringify(differing.find((one) => one.manifest.address === address)?.changed.find((one) => one.path === path))}`,
            ),
            source,
          ).toEqual([]);
          pulledCount += result.pulled.length;
          leftCount += result.left.length;

          // What did not differ is as it was, byte for byte.
          const changedFields = new Map(
            differing.map(({ changed, manifest }) => [
              manifest.address as string,
              new Set(changed.map(({ path }) => path.split(".")[1])),
            ]),
          );
          for (const { fields, kind, source: own } of documents) {
            const changed = changedFields.get(addressOf(kind, name[kind] ?? ""));
            if (changed === undefined) expect(result.text).toContain(lines(own));
            for (const [member, part] of fields)
              if (changed?.has(member) !== true) expect(result.text).toContain(lines(part));
            // Nor does any other line move, where fields have lines of their own; comments may go with their field.
            const parts = [...fields].filter(([member]) => changed?.has(member) === true).map(([, part]) => part);
            if (parts.length === fields.size || ![...fields.values()].every((part) => part.endsWith("\n"))) continue;
            const rest = lines(parts.reduce((text, part) => text.replace(part, () => ""), own));
            const others = rest.split("\n").filter((line) => !/^\s*(?:#|$)/u.test(line));
            const now = result.text.split("\n");
            let at = 0;
            const missing = others.filter((line) => {
              const found = now.indexOf(line, at);
              if (found !== -1) at = found + 1;
              return found === -1;
            });
            expect(missing, source).toEqual([]);
          }
          if (differing.length === 0) expect(result.text).toBe(source);
        },
      ),
      { ...runs(12), endOnFailure: true },
    );
    // Nearly everything can be pulled, and nearly every document could be loaded.
    expect(leftCount).toBeLessThan(pulledCount / 20);
    expect(unloadable).toBeLessThan(pulledCount / 20);
  });
});
