import { domainToASCII } from "node:url";
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
    const meant = hostportsMeant(hostport).find((candidate) => mistakeIn(candidate) === null);
    const remedy = meant === undefined ? wrong.remedy : `Write ${JSON.stringify(meant)}.`;
    const path = ["spec", "hostports", index];
    report({ code: "hostport-syntax", message: `${shown} ${wrong.is}`, remedy, sensitive: user !== -1, path });
  }
};

interface Mistake {
  /** Follows the hostport. */
  readonly is: string;
  readonly remedy: string;
}

/** Mistakes that a pattern finds, the first that fits. */
const mistakes: readonly (readonly [pattern: RegExp, is: string, remedy: string])[] = [
  [/\$\{?[A-Za-z_]|\{\{/u, "has a variable that edgewise does not fill in", "Write the variable as ${{ vars.NAME }}."],
  [/^[a-z][a-z0-9+.-]*:\/\//iu, "is a URL, not host:port", "Write host:port alone, as in api.example.com:443."],
  [/\s/u, "has a blank in it", "Remove it."],
  [/^(?::?\d*|:.*)$/u, "has no host", "Write the host before the colon, as in api.example.com:443."],
  [/^[^:]*$|\]$/u, "has no port", "Write the port that is served, as in api.example.com:443."],
  [/^[^[].*:.*:/u, "has more than one colon", "Put an IPv6 address in brackets: [2001:db8::1]:443."],
  [/^(?!.*:[1-9]\d{0,4}$)/u, "has a port that is not a number from 1 to 65535", "Write the port that is served."],
  // eslint-disable-next-line no-control-regex -- anything beyond ASCII is what is searched for
  [/[^\u0000-\u007f]/u, "has a host with characters outside ASCII", "Write an international name in its xn-- form."],
  [/^\*:/u, "names no domain", "Write the domain after the *, as in *.example.com:443."],
  [/(?!^\*\.)\*/u, "has a * inside the host", "A * must be the whole first label: *.example.com:443."],
  [/^\.|\.\./u, "has an empty part between two dots", "Remove one of the dots."],
  [/\.:\d+$/u, "has a dot at the end of the host", "Remove the dot."],
];

function mistakeIn(hostport: string): Mistake | null {
  const [, is, remedy] = mistakes.find(([pattern]) => pattern.test(hostport)) ?? [];
  if (is !== undefined && remedy !== undefined) return { is, remedy };
  const [, host = "", port] = /^(.*):(\d+)$/u.exec(hostport) ?? [];
  if (Number(port) > 65535)
    return { is: "has a port that is not a number from 1 to 65535", remedy: "Write the port that is served." };
  if (/^\[[0-9a-f:.]+\]$/iu.test(host)) return null;
  if (host.length > 253) return { is: `has a host of ${host.length} characters`, remedy: "Names have at most 253." };
  const bad = host
    .replace(/^\*\./u, "")
    .split(".")
    .find((label) => !/^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/iu.test(label));
  if (bad === undefined) return null;
  return { is: `has ${JSON.stringify(bad)} in the host, which is not a DNS label`, remedy: "Correct the name." };
}

/** The hostports that an invalid one may have been meant as, the likeliest first. */
function hostportsMeant(hostport: string): readonly string[] {
  const [, scheme = "", rest = hostport] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/iu.exec(hostport) ?? [];
  const bare = rest.slice(rest.lastIndexOf("@") + 1).replaceAll(/\s/gu, "");
  const [, host = bare, port = scheme.toLowerCase() === "http" ? "80" : "443"] = /^(.*):(\d+)$/u.exec(bare) ?? [];
  const isV6 = host.includes(":") && /^[0-9a-f:]+$/iu.test(host);
  return [`${isV6 ? `[${host}]` : host}:${port}`, `${domainToASCII(host)}:${port}`];
}
