import type { Json } from "../../../src/json.ts";

/** Ways in which a policy may hold a secret: what stands in the configuration of one action. */
export const policyShapes: readonly (readonly [shape: string, config: (secret: string) => Json])[] = [
  // Under a name of the table, in every way to write it
  ...[
    "secret",
    "secrets",
    "client_secret",
    "clientSecret",
    "CLIENT-SECRET",
    "webhook_secret_2",
    "password",
    "dbPassword",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "token",
    "access_token",
    "refreshToken",
    "id-token",
    "X-Auth-Token",
    "tokens",
    "api_key",
    "apiKey",
    "APIKey",
    "x-api-key",
    "access_key",
    "secret_key",
    "secretAccessKey",
    "private_key",
    "private_key_pem",
    "signing_key",
    "encryption_key",
    "shared_key",
    "hmac_key",
    "master_key",
    "session_key",
    "subscription-key",
    "authorization",
    "Authorization",
    "proxy-authorization",
    "cookie",
    "Set-Cookie",
    "basic_auth",
    "bearer",
    "jwt",
    "psk",
    "dsn",
    "connection_string",
  ].map((name): readonly [string, (secret: string) => Json] => [`${name}: text`, (secret) => ({ [name]: secret })]),
  // Below such a name
  ["credentials: list", (secret) => ({ credentials: [`user:${secret}`] })],
  ["credentials: map", (secret) => ({ credentials: { alice: { key: secret } } })],
  ["tokens: map by token", (secret) => ({ token: { [secret]: "alice" } })],
  ["password: list of lists", (secret) => ({ password: [[secret], [{ old: secret }]] })],
  // Headers
  ["headers: map", (secret) => ({ headers: { Authorization: `Bearer ${secret}`, accept: "text/plain" } })],
  ["headers: name and value", (secret) => ({ headers: [{ name: "Authorization", value: `Bearer ${secret}` }] })],
  ["headers: key and values", (secret) => ({ headers: [{ Key: "X-API-Key", Values: [secret] }] })],
  ["headers: value before name", (secret) => ({ headers: [{ value: secret, name: "cookie" }] })],
  ["headers: texts", (secret) => ({ headers: [`authorization: Bearer ${secret}`, `X-Api-Key:${secret}`] })],
  // By its looks
  ["Bearer under another name", (secret) => ({ upstream: `Bearer ${secret}` })],
  ["Basic under another name", (secret) => ({ upstream: `Basic ${Buffer.from(secret).toString("base64")}=` })],
  [
    "a private key under another name",
    (s) => ({ pem: `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----` }),
  ],
  ["an expression with a literal", (secret) => ({ token: `\${"${secret}"}` })],
  ["a text before an expression", (secret) => ({ token: `${secret} \${conn.id}` })],
  ["a text with an expression in it", (secret) => ({ token: `${secret}\${conn.id}` })],
];

/** A policy with each shape in an action of its own; `secretOf` gives the secret by the shape's place. */
export function policyOfShapes(secretOf: (index: number) => string): { readonly [phase: string]: Json } {
  const actions = policyShapes.map(([, config], index) => ({ type: "log", config: config(secretOf(index)) }));
  return { on_tcp_connect: [{ name: "all shapes", actions }] };
}
