import { onTestFinished } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";

export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export async function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: Json,
  headers: { readonly [name: string]: string } = {},
): Promise<Answer> {
  const response = await fetch(path.startsWith("http") ? path : sandbox.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${sandbox.apiKey}`,
      [sandbox.versionHeader]: "2",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get("content-type") === "application/json";
  return { status: response.status, headers: response.headers, body: json ? (JSON.parse(text) as Json) : text };
}

export async function done(sandbox: Sandbox, method: string, path: string, body?: Json): Promise<JsonObject> {
  const answer = await send(sandbox, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as JsonObject;
}

export function ids(list: Json | undefined): readonly string[] {
  return (list as readonly { readonly id: string }[]).map(({ id }) => id);
}
