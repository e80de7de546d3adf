import { isLoopback } from "../../config/api-config.js";

/** Where HTTP is served. */
export interface ListenAddress {
  /** A host name or address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`; an IPv6 address stands in brackets. Null when it is not one. */
export function parseListen(text: string): ListenAddress | null {
  const [, six, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? null : { host, port };
}

/** Whether only this machine reaches it. Elsewhere readers need a token. */
export function isLocal({ host }: ListenAddress): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host);
}
