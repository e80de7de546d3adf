// A second account, which is not the reader's best case: one manifest for each file, every kind that can be listed, some
// large policies, and what people write: comments, umlauts, CJK, emoji, CRLF, quoted keys, folded texts.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../scripts/certificate.mjs";
import { measure } from "./measure.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

const kindOf = (index) => {
  const place = index % 50;
  if (place < 25) return "TLSEdge";
  if (place < 40) return "HTTPResponseBackend";
  if (place < 44) return "IPRestriction";
  return place < 47 ? "ReservedAddress" : "TLSCertificate";
};

const words = ["Zürich", "Übergang", "東京", "서울", "Ελλάδα", "🚀", "naïve", "👩‍💻", "Łódź", "payments"];
const word = (index) => words[index % words.length];

/** The description in one of the ways in which people write it. */
function description(index) {
  const text = `${word(index)} – ${word(index + 3)} number ${index}`;
  switch (index % 5) {
    case 0:
      return `description: ${text}`;
    case 1:
      return `"description": "${text} \\u00e9"`;
    case 2:
      return `description: >-\n    ${text}\n    that goes on\n\n    and on`;
    case 3:
      return `description: '${text}' # ${word(index + 1)}`;
    default:
      return `# ${word(index)}: ask first\n  description: ${text}`;
  }
}

/** One edge in a hundred has a policy of 20 to 100 KB. */
function policy(index) {
  const rule = (at, extra) =>
    `        - name: rule ${at}\n          actions:\n            - type: log\n              config: { metadata: { edge: "edge-${index}", note: "${word(at)}${extra}" } }\n`;
  if (index % 200 !== 0) return rule(0, "");
  const each = rule(0, "x".repeat(300)).length;
  const wanted = 20_000 + ((index * 7919) % 80_000);
  return Array.from({ length: Math.ceil(wanted / each) }, (_, at) => rule(at, "x".repeat(300))).join("");
}

const specs = {
  TLSEdge: (index, backend) => `  hostports: ["mixed-${index}.example.com:443"]
  backend:
    "backend": { name: ${backend} }
  tls_termination: { "terminate_at": edge, min_version: "1.2" }
  traffic_policy:
    value:
      on_tcp_connect:
${policy(index)}`,
  HTTPResponseBackend: (index) => `  status_code: ${index % 2 === 0 ? 503 : 404}
  headers: { "content-type": text/plain, x-page: "page ${index}" }
  body: |+
    ${word(index)}: back soon

    ${word(index + 1)}

`,
  IPRestriction: (index) => `  type: ${index % 2 === 0 ? "dashboard" : "agent"}
  enforced: false
  ip_policies: [{ id: ipp_${index} }]
`,
  ReservedAddress: (index) => `  region: ${index % 2 === 0 ? "eu" : "us"}
`,
  TLSCertificate: () => `  certificate_pem: { file: ../www.pem }
  private_key_pem: { file: ../www.key }
`,
};

function manifest(index) {
  const kind = kindOf(index);
  // The backends of each fifty are its places 25 to 39.
  const backend = `mixed-${index - (index % 50) + 25 + (index % 15)}`;
  const comment = index % 3 === 0 ? `# ${word(index)}: who to ask, and why this is here\n#   ${word(index + 2)}\n` : "";
  const text = `${comment}apiVersion: edgewise/v1
kind: ${kind}
metadata:
  name: mixed-${index}
  labels: { team: "${word(index)}" }
spec:
  ${description(index)}
  metadata: { owner: "${word(index + 5)}", ticket: OPS-${index} }
${specs[kind](index, backend)}`;
  return index % 4 === 0 ? text.replaceAll("\n", "\r\n") : text;
}

/** The number of pages of the account's longest list. @param count a multiple of 50 */
export function mixedChain(count, pageSize = 100) {
  return Math.ceil(count / 2 / pageSize);
}

/** Writes the account's manifests, one for each file, and a configuration into a new folder. */
export async function writeMixed(folder, count) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "edge"), { recursive: true });
  const { certificate, key } = await makeCertificate(["www.example.com"]);
  writeFileSync(join(folder, "www.pem"), certificate);
  writeFileSync(join(folder, "www.key"), key, { mode: 0o600 });
  writeFileSync(
    join(folder, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: mixed\nmanifests: [edge/]\n",
  );
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, "edge", `${String(index).padStart(5, "0")}.yaml`), manifest(index));
  }
}

/** Writes a data file for the sandbox: what an apply of the account leaves behind. */
export async function writeMixedWorld(data, folder) {
  rmSync(data, { force: true });
  const service = await startService({ data, latency: 0 });
  try {
    await measure([cli, "apply", "--auto-approve", "--no-verify", "--quiet"], { cwd: folder, env: service.env });
  } finally {
    await service.close();
  }
}
