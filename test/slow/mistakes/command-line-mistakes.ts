import { backend } from "../../commands/stage.ts";
import type { Mistake } from "./run-command-line.ts";

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";
const environments = `${config}environments:\n  staging: {stack: staging}\n`;

function each(lines: readonly string[]): readonly Mistake[] {
  return lines.map((line) => ({ args: line.split(" "), exit: 1 }));
}

/** Commands that there are not. */
export const commandMistakes: readonly Mistake[] = [
  { args: ["diff"], exit: 1, process: true },
  ...each(["aplly", "help foo", "--verbose plan"]),
];

/** Options that there are not, or that are written in another program's way. */
export const optionMistakes: readonly Mistake[] = [
  { args: ["plan", "-out", "p.json"], exit: 1, instead: ["plan", "--out", "p.json"], process: true },
  { args: ["plan", "-target=HTTPResponseBackend/maintenance"], exit: 1 },
  { args: ["plan", "--json"], exit: 1, instead: ["plan", "-o", "json"] },
  { args: ["plan", "--token", "hunter2"], exit: 1 },
  { args: ["plan", "--api-key=hunter2"], exit: 1, process: true },
  ...each(["apply --dry-run", "plan --onyl A/b", "plan -o"]),
];

/** Values that are not valid, words too many, and words that are missing. */
export const argumentMistakes: readonly Mistake[] = [
  { args: ["plan", "edge/backend.yaml"], exit: 1, instead: ["plan", "-f", "edge/backend.yaml"], process: true },
  { args: ["plan", "--var", "token", "hunter2"], exit: 1 },
  { args: ["plan", "--var", "1x=hunter2"], exit: 1 },
  ...each([
    "plan plan.json",
    "plan --only tlsedge/api",
    "plan --only HTTPResponseBackend/maintenence",
    "plan -l team=payment",
    "plan --max-deletes x",
    "plan -o markdwn",
    "show",
    "serve edgewise.yaml",
    "explain TLSEdg",
    "validate --output-file nodir/x.json",
    "plan --base nosuch",
    "show ak_2YdPq8ZrT7mVxKc4LbNw6HsJ",
  ]),
  { args: ["apply"], exit: 1 },
];

/** Nothing is configured. */
export const bareMistakes: readonly Mistake[] = [
  { args: ["plan"], exit: 1, env: { EDGEWISE_BASE_URL: null }, process: true },
  { args: ["validate"], exit: 1 },
  { args: ["validate"], exit: 1, files: { "prod/edgewise.yaml": config, "test env/edgewise.yaml": config } },
];

/** Settings that are wrong, from files and the environment. */
export const configurationMistakes: readonly Mistake[] = [
  { args: ["plan", "-e", "stagin"], exit: 1, files: { "edgewise.yaml": environments } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_ENVIRONMENT: "" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_CONFIG: "nosuch.yaml" }, process: true },
  { args: ["plan"], exit: 1, files: { "edgewise.yaml": `${config}api: {baseUrl: "https://other.example"}\n` } },
  { args: ["plan", "--base-url", "http://api.example.com"], exit: 1 },
  { args: ["plan", "--base-url", "https://me:hunter2@api.example.com"], exit: 1 },
  { args: ["plan", "--version-header", "Authorization"], exit: 1 },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: null } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "Bearer hunter2" } },
  { args: ["plan", "--api-key-file", "key"], exit: 1, files: { "key@666": "key-of-the-stage\n" } },
];

/** The service is not there, or is something else. */
export const serviceMistakes: readonly Mistake[] = [
  { args: ["plan", "--base-url", "http://127.0.0.1:1"], exit: 1, process: true },
  { args: ["ping"], exit: 1, env: { EDGEWISE_API_KEY: "hunter2hunter2" } },
  { args: ["plan", "--version-header", "Other-Version"], exit: 1 },
  { args: ["plan"], exit: 1, env: { HTTPS_PROXY: "hunter2", EDGEWISE_BASE_URL: "https://api.example.com" } },
];

/** Files that are no plans that can be applied. */
export const planFileMistakes: readonly Mistake[] = [
  { args: ["apply", "edge/backend.yaml"], exit: 1, process: true },
  { args: ["apply", "p.json", "-y"], exit: 1, files: { "p.json": "" } },
  {
    args: ["apply", "p.json", "-y"],
    exit: 1,
    files: { "p.json": '{"format": "edgewise.plan/v1", "changes": [{"addr' },
  },
  { args: ["show", "p.json"], exit: 4, files: { "p.json": '{"format": "edgewise.result/v1"}' } },
  { args: ["apply", "p.json", "-y"], exit: 4, files: { "p.json": '{"format": "edgewise.plan/v2"}' } },
  { args: ["apply", "-y", "--destroy"], exit: 1, files: { "edge/backend.yaml": backend("maintenance") } },
];
