import { backend } from "../../commands/stage.ts";
import type { Mistake } from "./run-command-line.ts";

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";

/** Nothing is configured. */
export const bareMistakes: readonly Mistake[] = [
  { args: ["plan"], exit: 1, env: { EDGEWISE_BASE_URL: null }, process: true },
  { args: ["plan"], exit: 1 },
  { args: ["validate"], exit: 1 },
  { args: ["graph"], exit: 1 },
  { args: ["unlock"], exit: 1 },
  { args: ["policy", "test"], exit: 1 },
  { args: ["apply", "-y"], exit: 1 },
  { args: ["plan", "-e", "prod"], exit: 1 },
  { args: ["plan"], exit: 1, files: { "edgewise.yml": config } },
  { args: ["plan"], exit: 1, files: { "edgewise.yml": config, "sub/x.yaml": "" }, in: "sub" },
  { args: ["plan"], exit: 1, files: { "edgewise.json": "{}" } },
  { args: ["plan"], exit: 1, files: { "prod/edgewise.yaml": config } },
  { args: ["validate"], exit: 1, files: { "prod/edgewise.yaml": config, "test env/edgewise.yaml": config } },
  { args: ["plan"], exit: 1, files: { "edgewise.yaml": "" } },
];

const environments = `${config}environments:
  staging: {stack: staging, api: {baseUrl: "http://127.0.0.1:1/v1"}}
`;
const key = "key-of-the-stage\n";

/** Settings that are wrong, from files and the environment. */
export const configurationMistakes: readonly Mistake[] = [
  { args: ["plan", "-e", "stagin"], exit: 1, files: { "edgewise.yaml": environments } },
  { args: ["plan", "-e", "prod"], exit: 1, files: { "edgewise.yaml": environments } },
  { args: ["plan", "-e", "prod"], exit: 1 },
  { args: ["plan"], exit: 1, env: { EDGEWISE_ENVIRONMENT: "prod" }, files: { "edgewise.yaml": environments } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_ENVIRONMENT: "" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_BASE_URL: "" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_CONFIG: "nosuch.yaml" }, process: true },
  { args: ["plan", "-c", "nosuch.yaml"], exit: 1 },
  { args: ["plan", "-c", "."], exit: 1 },
  { args: ["plan", "-c", "edge"], exit: 1 },
  { args: ["plan", "-e", "staging"], exit: 1, files: { "edgewise.yaml": environments } },
  {
    args: ["plan"],
    exit: 1,
    files: { "edgewise.yaml": `${config}api: {baseUrl: "https://other.example"}\n` },
  },
  { args: ["plan", "--base-url", "api.example.com/v1"], exit: 1 },
  { args: ["plan", "--base-url", "ftp://api.example.com"], exit: 1 },
  { args: ["plan", "--base-url", "http://api.example.com"], exit: 1 },
  { args: ["plan", "--base-url", "https://me:hunter2@api.example.com"], exit: 1 },
  { args: ["plan", "--base-url", "https://api.example.com/v1?x=hunter2"], exit: 1 },
  { args: ["plan", "--stack", " "], exit: 1 },
  { args: ["plan", "--version-header", "Authorization"], exit: 1 },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: null } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "two\nlines" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "'hunter2'" } },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "Bearer hunter2" } },
  { args: ["plan", "--api-key-file", "nosuch"], exit: 1, env: { EDGEWISE_API_KEY: null } },
  { args: ["plan", "--api-key-file", "sandboxhunter2hunter2key"], exit: 1, env: { EDGEWISE_API_KEY: null } },
  { args: ["plan", "--api-key-file", "key"], exit: 1, files: { key: "\n" } },
  { args: ["plan", "--api-key-file", "key"], exit: 1, files: { key: `${key}second line\n` } },
  { args: ["plan", "--api-key-file", "key"], exit: 1, files: { "key@666": key } },
  { args: ["plan", "--api-key-file", "edge"], exit: 1 },
];

/** The service is not there, or is something else. */
export const serviceMistakes: readonly Mistake[] = [
  { args: ["plan", "--base-url", "http://127.0.0.1:1"], exit: 1, process: true },
  { args: ["ping"], exit: 1, env: { EDGEWISE_BASE_URL: "http://127.0.0.1:1/v1" } },
  {
    args: ["list"],
    exit: 1,
    env: { EDGEWISE_BASE_URL: null },
    files: { "edgewise.yaml": `${config}api:\n  baseUrl: http://127.0.0.1:1\n` },
  },
  { args: ["plan"], exit: 1, env: { EDGEWISE_API_KEY: "hunter2hunter2" } },
  { args: ["ping"], exit: 1, env: { EDGEWISE_API_KEY: "hunter2hunter2" } },
  {
    args: ["plan", "--api-key-file", "key"],
    exit: 1,
    files: { key: "another-key\n" },
    env: { EDGEWISE_API_KEY: null },
  },
  { args: ["plan", "--version-header", "Other-Version"], exit: 1 },
  { args: ["plan"], exit: 1, env: { HTTPS_PROXY: "hunter2", EDGEWISE_BASE_URL: "https://api.example.com" } },
];

/** Files that are no plans that can be applied. */
export const planFileMistakes: readonly Mistake[] = [
  { args: ["apply", "edge/backend.yaml"], exit: 1, process: true },
  { args: ["apply", "edge", "-y"], exit: 1 },
  { args: ["show", "edge/backend.yaml"], exit: 1 },
  { args: ["apply", "nosuch.json", "-y"], exit: 1 },
  { args: ["apply", "p.json", "-y"], exit: 1, files: { "p.json": "" } },
  {
    args: ["apply", "p.json", "-y"],
    exit: 1,
    files: { "p.json": '{"format": "edgewise.plan/v1", "changes": [{"addr' },
  },
  { args: ["show", "p.json"], exit: 1, files: { "p.json": "hello\n" } },
  { args: ["show", "p.json"], exit: 1, files: { "p.json": '{\n  "format": "edgewise.plan/v1",\n  oops: 1\n}\n' } },
  { args: ["show", "p.json"], exit: 1, files: { "p.json": '{"a": 1}' } },
  { args: ["show", "p.json"], exit: 4, files: { "p.json": '{"format": "edgewise.result/v1"}' } },
  { args: ["apply", "p.json", "-y"], exit: 4, files: { "p.json": '{"format": "edgewise.plan/v2"}' } },
  {
    args: ["apply", "p.json", "-y"],
    exit: 4,
    files: { "p.json": '{"format": "edgewise.plan/v1", "hash": "sha256:0"}' },
  },
  { args: ["apply", "p.json"], exit: 1, files: { "p.json": "{}" } },
  { args: ["apply", "--approved", "0123"], exit: 1 },
  { args: ["apply", "-y", "--destroy"], exit: 1, files: { "edge/backend.yaml": backend("maintenance") } },
  { args: ["export", "--from-tfstate", "s.json"], exit: 1, files: { "s.json": "" } },
];
