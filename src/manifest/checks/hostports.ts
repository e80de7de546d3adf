import { domainToASCII } from "node:url";
import { type Value, isObject } from "../../core/json.js";
import { hostportKey, listOf } from "../../kinds/codecs/reference-codecs.js";
import type { KindName } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";
import { FirstHolders, placeIn } from "./names-and-ids.js";

/** Hostports are `host:port`; a host may begin with `*.`, and an IPv6 address is in brackets. */
export const hostportSyntax: ManifestCheck = ({ spec }, report) => {
  const hostports = listOf(spec["hostports"]);
  for (let index = 0; index < hostports.length; index++) {
    const hostport = hostports[index];
    if (typeof hostport !== "string" || hostport === "") continue;
    const wrong = syntaxProblem(hostport);
    if (wrong === null) continue;
    report({ code: "hostport-syntax", ...wrong, path: ["spec", "hostports", index] });
  }
};

interface HostportProblem {
  readonly message: string;
  readonly remedy: string | null;
  readonly sensitive: boolean;
}

/** What is wrong with a hostport, in words; null = nothing. */
function syntaxProblem(hostport: string): HostportProblem | null {
  const wrong = findProblem(hostport);
  if (wrong === null) return null;
  const meant = hostportsMeant(hostport).find((candidate) => findProblem(candidate) === null);
  // What is before the last @ may be a password.
  const user = hostport.lastIndexOf("@");
  const shown = JSON.stringify(user === -1 ? hostport : `…${hostport.slice(user)}`);
  const remedy = meant === undefined ? (wrong.remedy ?? null) : `Write ${JSON.stringify(meant)}${wrong.or ?? ""}.`;
  return { message: `${shown} ${wrong.words}`, remedy, sensitive: user !== -1 };
}

/** What is wrong, in words that follow the hostport; a remedy for when nothing better is found. */
interface FoundProblem {
  readonly words: string;
  readonly remedy?: string;
  /** Follows what was most likely meant. */
  readonly or?: string;
}

function findProblem(hostport: string): FoundProblem | null {
  const [, shell, braces] = /\$\{?([A-Za-z_][\w.]*)\}?|\{\{\s*([\w.]+)/u.exec(hostport) ?? [];
  const expression = (shell ?? braces)?.split(".");
  if (expression !== undefined) {
    const from = expression.length > 1 && expression[0] === "env" ? "env" : "vars";
    return {
      words: "has a variable that edgewise does not fill in",
      remedy: `Write the variable as \${{ ${from}.${expression.at(-1)} }}.`,
    };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(hostport)) return { words: "is a URL, not host:port" };
  if (/[“”„‘’«»]/u.test(hostport)) return { words: "has typographic quotes in it, which YAML does not read as quotes" };
  if (/\s/u.test(hostport)) return { words: "has a blank in it" };
  if (/^\d{1,5}$/u.test(hostport)) return hostProblem("");
  const colon = hostport.lastIndexOf(":");
  if (colon === -1 || hostport.endsWith("]")) return { words: "has no port", or: ", or the port that you mean" };
  const host = hostport.slice(0, colon);
  const port = hostport.slice(colon + 1);
  if (host.includes(":") && !/^\[[0-9a-f:.]+\]$/iu.test(host))
    return { words: "has more than one colon", remedy: "Put an IPv6 address in brackets: [2001:db8::1]:443." };
  if (host === "" && !/\D/u.test(port)) return hostProblem(host);
  if (!/^\d{1,5}$/u.test(port) || Number(port) < 1 || Number(port) > 65535 || port.startsWith("0")) {
    return {
      words: `has the port ${JSON.stringify(port)}, which is not a number from 1 to 65535`,
      remedy: `Write the port that is served, as in ${JSON.stringify(`${host}:443`)}.`,
    };
  }
  return host.startsWith("[") ? null : hostProblem(host);
}

function hostProblem(host: string): FoundProblem | null {
  if (host === "")
    return { words: "has no host", remedy: "Write the host before the colon, as in api.example.com:443." };
  if (host.length > 253) return { words: `has a host of ${host.length} characters; names have at most 253` };
  // eslint-disable-next-line no-control-regex -- anything beyond ASCII is what is searched for
  if (/[^\u0000-\u007f]/u.test(host))
    return {
      words: "has a host with characters outside ASCII",
      remedy: "Write an international name in its xn-- form.",
    };
  const labels = host.split(".");
  const [first, ...rest] = labels;
  if (host === "*")
    return { words: "names no domain", remedy: "Write the domain after the *, as in *.example.com:443." };
  const named = first === "*" && rest.length > 0 ? rest : labels;
  if (named.some((label) => label.includes("*")))
    return { words: "has a * inside the host", remedy: "A * must be the whole first label: *.example.com:443." };
  const bad = named.find((label) => !/^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/iu.test(label));
  if (bad === undefined) return null;
  if (bad !== "") return { words: `has ${JSON.stringify(bad)} in the host, which is not a DNS label` };
  return { words: host.endsWith(".") ? "has a dot at the end of the host" : "has an empty part between two dots" };
}

/** The hostports that an invalid one may have been meant as, the likeliest first. */
function hostportsMeant(hostport: string): readonly string[] {
  const [, scheme = "", rest = hostport] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/iu.exec(hostport.trim()) ?? [];
  const bare = rest
    .slice(rest.lastIndexOf("@") + 1)
    .replaceAll(/[\s“”„‘’«»]/gu, "")
    .replace(/:https?$/iu, (name) => (name.endsWith("s") ? ":443" : ":80"));
  const colon = bare.lastIndexOf(":");
  const hasPort = colon !== -1 && /^\d+$/u.test(bare.slice(colon + 1));
  const host = hasPort ? bare.slice(0, colon) : bare;
  const usual = scheme.toLowerCase() === "http" ? "80" : "443";
  const port = hasPort ? bare.slice(colon + 1).replace(/^0+(?=\d)/u, "") : usual;
  const ascii = host.replace(/\.$/u, "");
  const isV6 = hasPort && host.includes(":") && /^[0-9a-f:]+$/iu.test(host);
  return [...(isV6 ? [`[${host}]:${port}`] : []), `${ascii}:${port}`, `${domainToASCII(ascii)}:${port}`];
}

/** Only one edge serves a hostport, and lists it once. Hosts are compared without case. */
export const duplicateHostports: StackCheck = (_manifests, reportFor) => {
  const serving = new FirstHolders<{ readonly manifest: ParsedManifest; readonly index: number }>();
  return (manifest) => {
    const hostports = listOf(manifest.spec["hostports"]);
    for (let index = 0; index < hostports.length; index++) {
      const served = keyOf(hostports[index], manifest.kind);
      const first = served === null ? null : serving.holderOf(served.key, { manifest, index });
      if (served === null || first === null) continue;
      const own = first.manifest === manifest;
      const where = own ? "is listed already," : `is already served by ${first.manifest.address}`;
      reportFor(manifest)({
        code: "duplicate-hostport",
        message: `${served.shown} ${where}`,
        ...(own ? { remedy: "Remove it from the list." } : {}),
        path: ["spec", "hostports", index],
        other: placeIn(first.manifest, ["spec", "hostports", first.index]),
      });
    }
  };
};

function keyOf(hostport: Value | undefined, kind: KindName): { readonly key: string; readonly shown: string } | null {
  // A wrong one, which may have a password.
  if (typeof hostport === "string" && hostport.includes("@")) return null;
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
