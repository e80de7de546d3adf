import { isObject, type JsonObject } from "../../../../src/core/json.ts";
import type { Dice } from "./dice.ts";
import type { LiveResource } from "./serve-account.ts";

export interface Wanted {
  readonly [field: string]: string;
}

export interface WantedStack {
  readonly [address: string]: Wanted;
}

export function someStack(stack: string, dice: Dice): WantedStack {
  const backends = Array.from({ length: dice.between(1, 4) }, (_, at) => [
    `HTTPResponseBackend/b${at}`,
    someBackend(dice),
  ]);
  const edges = Array.from({ length: dice.between(0, 2) }, (_, at) => [
    `TLSEdge/e${at}`,
    someEdge(`${stack}-e${at}`, dice),
  ]);
  return Object.fromEntries([...backends, ...edges]) as WantedStack;
}

function someBackend(dice: Dice): Wanted {
  return { description: word(dice), status_code: dice.pick(["200", "404", "503"]), body: word(dice) };
}

function someEdge(host: string, dice: Dice): Wanted {
  const hostports = `${host.replaceAll("/", "-")}.example.com:443`;
  return { description: word(dice), hostports, min_version: dice.pick(["1.2", "1.3"]), backend: "b0" };
}

export function changedStack(stack: string, before: WantedStack, dice: Dice): WantedStack {
  const next: Record<string, Wanted> = { ...before };
  for (const [address, wanted] of Object.entries(before)) {
    if (!dice.chance(0.4)) continue;
    if (dice.chance(0.15) && address !== "HTTPResponseBackend/b0") delete next[address];
    else next[address] = changed(address, wanted, dice);
  }
  const name = `x${dice.between(0, 2)}`;
  if (dice.chance(0.2)) next[`HTTPResponseBackend/${name}`] ??= someBackend(dice);
  if (dice.chance(0.1)) next[`TLSEdge/${name}`] ??= someEdge(`${stack}-${name}`, dice);
  return next;
}

function changed(address: string, wanted: Wanted, dice: Dice): Wanted {
  const isEdge = address.startsWith("TLSEdge/");
  const field = dice.pick(isEdge ? ["description", "min_version"] : ["description", "status_code", "body"]);
  return { ...wanted, [field]: valueOf(field, dice) };
}

export function valueOf(field: string, dice: Dice): string {
  if (field === "status_code") return dice.pick(["200", "404", "418", "503"]);
  return field === "min_version" ? dice.pick(["1.2", "1.3"]) : word(dice);
}

function word(dice: Dice): string {
  return `w${dice.between(0, 99)}`;
}

export function filesOf(directory: string, marker: string, stack: WantedStack): { readonly [path: string]: string } {
  const documents = Object.entries(stack).map(([address, wanted]) => {
    const [kind = "", name = ""] = address.split("/");
    return JSON.stringify({ apiVersion: "edgewise/v1", kind, metadata: { name }, spec: specOf(kind, wanted) });
  });
  return {
    [`${directory}/edgewise.yaml`]: `apiVersion: edgewise/v1\nkind: Config\nstack: ${marker}\nmanifests: [m/]\n`,
    [`${directory}/m/all.yaml`]: documents.join("\n---\n"),
  };
}

function specOf(kind: string, wanted: Wanted): object {
  const { backend, body, description, hostports, min_version, status_code } = wanted;
  if (kind === "HTTPResponseBackend") return { description, status_code: Number(status_code), body };
  return {
    description,
    hostports: [hostports],
    backend: { backend: { name: backend } },
    tls_termination: { min_version },
  };
}

export function handBody(field: string, value: string): JsonObject {
  if (field === "status_code") return { status_code: Number(value) };
  return field === "min_version" ? { tls_termination: { min_version: value } } : { [field]: value };
}

export function cellsOf({ address, wire }: LiveResource, all: readonly LiveResource[]): Wanted {
  const text = (value: unknown): string =>
    typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (address.startsWith("HTTPResponseBackend/"))
    return { description: text(wire["description"]), status_code: text(wire["status_code"]), body: text(wire["body"]) };
  const member = (module: string, name: string): unknown => {
    const value = wire[module];
    return isObject(value) ? value[name] : null;
  };
  const hostports = Array.isArray(wire["hostports"]) ? wire["hostports"].map(text).join(",") : "";
  const backend = member("backend", "backend_id") ?? refId(member("backend", "backend"));
  const name = all.find((one) => one.wire["id"] === backend)?.address.split("/")[1] ?? text(backend);
  return {
    description: text(wire["description"]),
    hostports,
    min_version: text(member("tls_termination", "min_version")),
    backend: name,
  };
}

export function cellOf(path: string): string {
  const [, field = "", member] = path.split(".");
  return field === "tls_termination" ? "min_version" : field === "backend" ? "backend" : (member ?? field);
}

function refId(ref: unknown): unknown {
  return typeof ref === "object" && ref !== null && "id" in ref ? ref.id : null;
}
