import { listOf } from "../../kinds/codecs/reference-codecs.js";
import type { ManifestCheck } from "../parsed-manifest.js";

/** Hostports are `host:port`; a host may begin with `*.`, and an IPv6 address is in brackets. */
export const hostportSyntax: ManifestCheck = ({ spec }, report) => {
  for (const [index, hostport] of listOf(spec["hostports"]).entries()) {
    if (typeof hostport !== "string" || hostport === "") continue;
    const wrong = mistakeIn(hostport);
    if (wrong === null) continue;
    // What is before the last @ may be a password.
    const user = hostport.lastIndexOf("@");
    const shown = JSON.stringify(user === -1 ? hostport : `…${hostport.slice(user)}`);
    const message = `${shown} ${wrong}`;
    report({ code: "hostport-syntax", message, sensitive: user !== -1, path: ["spec", "hostports", index] });
  }
};

/** What follows an invalid hostport in a message, by the first pattern that fits. */
const mistakes: readonly (readonly [pattern: RegExp, is: string])[] = [
  [/\$\{?[A-Za-z_]|\{\{/u, "has a variable that is not written as ${{ vars.NAME }}"],
  [/^[a-z][a-z0-9+.-]*:\/\//iu, "is a URL, not host:port"],
  [/\s/u, "has a blank in it"],
  [/^(?::?\d*|:.*)$/u, "has no host"],
  [/^[^:]*$|\]$/u, "has no port"],
  [/^[^[].*:.*:/u, "has more than one colon; an IPv6 address needs brackets"],
  [/^(?!.*:[1-9]\d{0,4}$)/u, "has a port that is not a number from 1 to 65535"],
  // eslint-disable-next-line no-control-regex -- anything beyond ASCII is what is searched for
  [/[^\u0000-\u007f]/u, "has a host with characters outside ASCII; write its xn-- form"],
  [/(?!^\*\.[^.])\*/u, "has a * that is not the whole first label before a domain"],
];

function mistakeIn(hostport: string): string | null {
  const [, is] = mistakes.find(([pattern]) => pattern.test(hostport)) ?? [];
  if (is !== undefined) return is;
  const [, host = "", port] = /^(.*):(\d+)$/u.exec(hostport) ?? [];
  if (Number(port) > 65535) return "has a port that is not a number from 1 to 65535";
  if (/^\[[0-9a-f:.]+\]$/iu.test(host)) return null;
  if (host.length > 253) return `has a host of ${host.length} characters, more than 253`;
  const labels = host.replace(/^\*\./u, "").split(".");
  const bad = labels.find((label) => !/^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/iu.test(label));
  return bad === undefined ? null : `has ${JSON.stringify(bad)} in the host, which is not a DNS label`;
}
