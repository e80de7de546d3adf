import { Console } from "node:console";
import { Writable } from "node:stream";
import { format, formatWithOptions, inspect } from "node:util";
import { deserialize, serialize } from "node:v8";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { expect, it } from "vitest";
import { EdgewiseError } from "../../../src/errors.ts";
import { manifestFingerprint } from "../../../src/manifest/to-manifest.ts";
import { canonicalJson } from "../../../src/plan/canonical-json.ts";
import { Secret } from "../../../src/secret.ts";
import { seen } from "./support/canaries.ts";

const text = "C4n4ry-secret+value/0123";
const canaries = [{ name: "secret", secret: text }];

function secrets(): readonly Secret[] {
  const read = Secret.of(text, "env NAME");
  read.reveal();
  return [Secret.of(text, "env NAME"), read, new Secret("file x", () => ({ available: true, text }))];
}

function consoled(...values: readonly unknown[]): string {
  let written = "";
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString("utf8");
      done();
    },
  });
  const into = new Console({ stdout: stream, stderr: stream, inspectOptions: { depth: 9, showHidden: true } });
  into.log(...values);
  into.error(...values);
  into.dir(values[0], { showHidden: true, depth: null, getters: true });
  into.table([{ secret: values[0] }]);
  into.assert(false, "%o", values[0]);
  return written;
}

function transferred(value: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received = receiveMessageOnPort(port2)?.message as unknown;
  port1.close();
  return received;
}

const ways: { readonly [way: string]: (secret: Secret) => unknown } = {
  "String()": (secret) => String(secret),
  template: (secret) => `a${secret as unknown as string}b`,
  concatenation: (secret) => `a${String(secret)}` + (secret as unknown as string) + "b",
  "an array joined": (secret) => [secret, [secret]].join(),
  "a key": (secret) => Object.keys({ [secret as unknown as string]: 1 }),
  JSON: (secret) => JSON.stringify({ a: [secret], b: secret }, null, 2),
  inspect: (secret) => inspect({ a: { b: { c: { d: [secret] } } } }, { depth: null, showHidden: true, getters: true }),
  "inspect at depth 0": (secret) => inspect(secret, { depth: 0 }),
  "inspect without its own ways": (secret) =>
    inspect(secret, { customInspect: false, showHidden: true, getters: true }),
  "inspect of a map and set": (secret) => inspect([new Map([[secret, secret]]), new Set([secret])], { depth: null }),
  "format %s %o %O %j %d": (secret) => format("%s %o %O %j %d %i %f", ...Array.from({ length: 7 }, () => secret)),
  "format with options": (secret) => formatWithOptions({ showHidden: true }, "%o", { secret }),
  console: (secret) => consoled(secret, { secret }),
  "own names": (secret) =>
    JSON.stringify(Object.getOwnPropertyNames(secret).map((name) => [name, Reflect.get(secret, name)])),
  entries: (secret) => JSON.stringify(Object.entries(secret)),
  spread: (secret) => inspect({ ...secret }, { showHidden: true }),
  assign: (secret) => inspect(Object.assign({}, secret)),
  "for … in": (secret) => {
    const found: unknown[] = [];
    for (const name in secret) found.push(name, Reflect.get(secret, name));
    return inspect(found);
  },
  structuredClone: (secret) => inspect(structuredClone(secret), { showHidden: true }),
  "a message": (secret) => inspect(transferred({ secret }), { depth: null, showHidden: true }),
  "v8.serialize": (secret) =>
    inspect(deserialize(serialize({ source: secret.source }))) + serialize({ ...secret }).toString(),
  "a cause": (secret) =>
    inspect(new Error("x", { cause: secret })) +
    inspect(new EdgewiseError("io", "x", { cause: { secret } }), { depth: null }),
  "an aggregate": (secret) => inspect(new AggregateError([secret], String(secret)), { depth: null }),
  "a message of an error": (secret) => new Error(secret as unknown as string).stack,
  "a number": (secret) => String(Number(secret)),
  "a date and a comparison": (secret) =>
    String([(secret as unknown as string) < "z", new Date(secret as unknown as string)]),
  tag: (secret) => Object.prototype.toString.call(secret),
  locale: (secret) => secret.toLocaleString(),
  "canonical JSON": (secret) => canonicalJson({ a: [secret] }),
  fingerprint: (secret) => manifestFingerprint({ a: [secret] }),
  prototype: (secret) => inspect(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(secret)), { depth: null }),
};

it.each(Object.entries(ways))("a secret is not seen by %s", (_, way) => {
  for (const secret of secrets()) {
    const shown = way(secret);
    expect(seen(typeof shown === "string" ? shown : inspect(shown), canaries)).toEqual([]);
  }
});

it("a fingerprint is the same for two secrets from one source", () => {
  expect(manifestFingerprint(Secret.of("one", "env A"))).toBe(manifestFingerprint(Secret.of("another", "env A")));
  expect(manifestFingerprint(Secret.of("one", "env A"))).not.toBe(manifestFingerprint(Secret.of("one", "env B")));
});

it("is read once, when it is needed, and reports why it can't be read", () => {
  let reads = 0;
  const secret = new Secret("file x", () => {
    reads += 1;
    return { available: true, text };
  });
  inspect(secret, { showHidden: true, getters: true, customInspect: true });
  expect(reads).toBe(0);
  expect([secret.missing, secret.reveal(), secret.sameAs(Secret.of(text, "y"))]).toEqual([null, text, true]);
  expect(reads).toBe(1);
  const none = Secret.unavailable("env X", "not set");
  expect(() => none.reveal()).toThrow("env X is not available: not set");
  expect([none.sameAs(secret), secret.sameAs(none)]).toEqual([null, null]);
});
