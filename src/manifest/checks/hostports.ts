import { type Value, isObject } from "../../json.js";
import { hostportKey, listOf } from "../../kinds/codecs/reference-codecs.js";
import type { KindName } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";
import { FirstHolders } from "./names-and-ids.js";

/** Hostports are `host:port`; a host may begin with `*.`, and an IPv6 address is in brackets. */
export const hostportSyntax: ManifestCheck = ({ spec }, report) => {
  for (const [index, hostport] of listOf(spec["hostports"]).entries()) {
    if (typeof hostport !== "string" || hostport === "") continue;
    const wrong = syntaxProblem(hostport);
    if (wrong === null) continue;
    report({ code: "hostport-syntax", ...wrong, path: ["spec", "hostports", index] });
  }
};

function syntaxProblem(hostport: string): { readonly message: string; readonly remedy?: string } | null {
  const shown = JSON.stringify(hostport);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)/iu.exec(hostport);
  if (scheme !== null) {
    const rest = scheme[2] ?? "";
    const better = /:\d+$/u.test(rest) ? rest : `${rest}:443`;
    return { message: `${shown} is a URL, not host:port`, remedy: `Write "${better}".` };
  }
  const colon = hostport.lastIndexOf(":");
  const bare = colon === -1 || hostport.endsWith("]");
  if (bare) return { message: `${shown} has no port`, remedy: `Write "${hostport}:443", or the port that you mean.` };
  const host = hostport.slice(0, colon);
  const port = hostport.slice(colon + 1);
  if (!/^\d{1,5}$/u.test(port) || Number(port) < 1 || Number(port) > 65535 || port.startsWith("0")) {
    return { message: `${shown} has the port ${JSON.stringify(port)}, which is not a number from 1 to 65535` };
  }
  if (/^\[[0-9a-f:.]+\]$/iu.test(host)) return null;
  if (host.includes(":"))
    return {
      message: `${shown} has more than one colon`,
      remedy: "Put an IPv6 address in brackets: [2001:db8::1]:443.",
    };
  return hostProblem(host, shown);
}

function hostProblem(host: string, shown: string): { readonly message: string; readonly remedy?: string } | null {
  if (host === "")
    return { message: `${shown} has no host`, remedy: "Write the host before the colon, like api.example.com:443." };
  if (host.length > 253) return { message: `the host of this hostport is longer than 253 characters` };
  // eslint-disable-next-line no-control-regex -- anything beyond ASCII is what is searched for
  if (/[^\u0000-\u007f]/u.test(host)) {
    return {
      message: `${shown} has a host with characters outside ASCII`,
      remedy: "Write an international name in its xn-- form.",
    };
  }
  const labels = host.split(".");
  const [first, ...rest] = labels;
  const named = first === "*" && rest.length > 0 ? rest : labels;
  if (named.some((label) => label.includes("*"))) {
    return {
      message: `${shown} has a * inside the host`,
      remedy: "A * must be the whole first label: *.example.com:443.",
    };
  }
  const bad = named.find((label) => !/^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/iu.test(label));
  if (bad === undefined) return null;
  return {
    message:
      bad === ""
        ? `${shown} has an empty part between two dots`
        : `${shown} has ${JSON.stringify(bad)} in the host, which is not a DNS label`,
  };
}

/** Only one edge serves a hostport, and lists it once. Hosts are compared without case. */
export const duplicateHostports: StackCheck = function* (manifests, reportFor) {
  const serving = new FirstHolders<ParsedManifest>();
  for (const manifest of manifests) {
    yield;
    for (const [index, hostport] of listOf(manifest.spec["hostports"]).entries()) {
      const served = keyOf(hostport, manifest.kind);
      const first = served === null ? null : serving.holderOf(served.key, manifest);
      if (served === null || first === null) continue;
      const where = first === manifest ? "is listed twice" : `is already served by ${first.address} in ${first.file}`;
      reportFor(manifest)({
        code: "duplicate-hostport",
        message: `${served.shown} ${where}`,
        path: ["spec", "hostports", index],
      });
    }
  }
};

function keyOf(hostport: Value, kind: KindName): { readonly key: string; readonly shown: string } | null {
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
