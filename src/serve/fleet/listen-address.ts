import { isLoopback } from "../../config/api-config.js";

export interface ListenAddress {
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

export function isLocal({ host }: ListenAddress): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host);
}
