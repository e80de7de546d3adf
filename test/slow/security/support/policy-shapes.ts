import type { Json } from "../../../../src/core/json.ts";

export const policyShapes: readonly (readonly [shape: string, config: (secret: string) => Json])[] = [
  ...["clientSecret", "password", "X-Auth-Token", "api_key", "private_key_pem", "Set-Cookie"].map(
    (name): readonly [string, (secret: string) => Json] => [`${name}: text`, (secret) => ({ [name]: secret })],
  ),
  ["credentials: list", (secret) => ({ credentials: [`user:${secret}`] })],
  ["credentials: map", (secret) => ({ credentials: { alice: { key: secret } } })],
  ["tokens: map by token", (secret) => ({ token: { [secret]: "alice" } })],
  ["tokens: a text beside an object", (secret) => ({ tokens: [secret, { from: "header" }] })],
  ["access_tokens: names and values", (secret) => ({ access_tokens: [{ name: "ci", value: secret }] })],
  ["secrets as names of members", (secret) => ({ allowed_secrets: { [secret]: true } })],
  ["headers: headerName and headerValue", (secret) => ({ add: { headerName: "X-Api-Key", headerValue: secret } })],
  ["headers: header-name and val", (secret) => ({ add: { "header-name": "X-Api-Key", val: secret } })],
  ["headers: map", (secret) => ({ headers: { Authorization: `Bearer ${secret}`, accept: "text/plain" } })],
  ["headers: name and value", (secret) => ({ headers: [{ name: "Authorization", value: `Bearer ${secret}` }] })],
  ["headers: key and values", (secret) => ({ headers: [{ Key: "X-API-Key", Values: [secret] }] })],
  ["headers: value before name", (secret) => ({ headers: [{ value: secret, name: "cookie" }] })],
  ["an expression with a literal", (secret) => ({ token: `\${"${secret}"}` })],
  ["a text before an expression", (secret) => ({ token: `${secret} \${conn.id}` })],
  ["a text with an expression in it", (secret) => ({ token: `${secret}\${conn.id}` })],
];

export function policyOfShapes(secretOf: (index: number) => string): { readonly [phase: string]: Json } {
  const actions = policyShapes.map(([, config], index) => ({ type: "log", config: config(secretOf(index)) }));
  return { on_tcp_connect: [{ name: "all shapes", actions }] };
}
