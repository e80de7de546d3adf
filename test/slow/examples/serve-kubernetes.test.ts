import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kubernetes, onlyManifest, parseManifests, readManifests, schemaProblems } from "./kubernetes-files.ts";
import { container, directories, kustomization, mountedFiles, mounts, secrets } from "./serve-deployment.ts";

const fleet = mountedFiles.get("/etc/edgewise/fleet.yaml") ?? "";
const keysOf = (name: string): readonly string[] => Object.keys(secrets.get(name) ?? {});
const after = (flag: string): string => container.args[container.args.indexOf(flag) + 1] ?? "";

describe("examples/serve/kubernetes", () => {
  it("is made of manifests that Kubernetes and the Prometheus operator know, member by member", () => {
    const names = [...kustomization.resources, "secrets.example.yaml"];
    for (const name of names) for (const each of readManifests(name)) expect(schemaProblems(each), name).toEqual([]);
    const [misspelt] = readManifests("service.yaml").map((each) => ({ ...each, sepc: {} }));
    expect(misspelt === undefined ? [] : schemaProblems(misspelt)).toEqual(["/sepc"]);
    const files = readdirSync(kubernetes).filter((name) => name.endsWith(".yaml"));
    expect(files.toSorted()).toEqual([...names, "kustomization.yaml"].toSorted());
    expect(Object.keys(kustomization).toSorted()).toEqual([
      "apiVersion",
      "configMapGenerator",
      "kind",
      "namespace",
      "resources",
    ]);
  });

  it("is put together by kubectl", ({ skip }) => {
    skip(spawnSync("kubectl", ["version", "--client"]).status !== 0, "kubectl is not installed");
    const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", kubernetes], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const made = parseManifests(stdout);
    for (const each of made) expect(schemaProblems(each)).toEqual([]);
    const kinds = ["ConfigMap", ...kustomization.resources.map((name) => onlyManifest(name).kind)];
    expect(made.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
    expect(stdout).not.toContain("name: edgewise-fleet\n"); // everywhere with its hash
  });

  it("mounts what the command line, the fleet file and the database's address name, and keeps nothing else", () => {
    expect(container.args[0]).toBe("serve");
    expect([...mountedFiles.keys()]).toContain(container.args[1]);
    const written = mounts.filter(({ files }) => files === null).map(({ mountPath }) => mountPath);
    expect(written).toContain(after("--state").replace(/\/[^/]+$/, ""));
    expect(written).toContain("/tmp");
    const [{ name: volume, mountPath }] = directories.volumeMounts;
    for (const { subPath, files, volume: mounted } of mounts.filter((each) => each.files === null)) {
      expect([files, mounted.name]).toEqual([null, volume]);
      expect(directories.command).toContain(`${mountPath}/${subPath}`);
    }
    const named = [...fleet.matchAll(/\{ file: (\/[^ ]+) \}/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !mountedFiles.has(path))).toEqual([]);
    expect(keysOf("edgewise-keys").map((key) => `/run/edgewise/keys/${key}`)).toEqual(
      expect.arrayContaining(named.toSorted()),
    );
    expect(new Set(named).size).toBe(keysOf("edgewise-keys").length);
    const secretsOf = [...fleet.matchAll(/secrets: (\/\S+)/g)].map(([, path]) => path);
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(expect.arrayContaining(secretsOf));
    const beside = [...fleet.matchAll(/(?:signedBy|approvers): (\w+)/g)].map(([, name]) => `/etc/edgewise/${name}`);
    expect(beside.length).toBe(2);
    expect([...mountedFiles.keys()]).toEqual(expect.arrayContaining(beside));

    const [database, ...others] = container.env;
    expect([database?.name, others]).toEqual(["EDGEWISE_DATABASE", []]);
    const url = new URL(database?.value ?? "");
    expect([url.protocol, url.searchParams.get("sslmode")]).toEqual(["postgres:", "verify-full"]);
    for (const name of ["sslrootcert", "passfile"])
      expect([...mountedFiles.keys()]).toContain(url.searchParams.get(name));
    expect(secrets.get("edgewise-database")?.["pgpass"]).toBe(
      [url.hostname, url.port, url.pathname.slice(1), url.username, "REPLACE-ME"].join(":"),
    );
    expect(url.password).toBe("");
  });

  it("lets the alerts be a PrometheusRule, by the command of its page", () => {
    const page = readFileSync(join(kubernetes, "README.md"), "utf8");
    const [, command = ""] = /^   (\(printf[\s\S]*?)\| kubectl apply -f -$/m.exec(page) ?? [];
    const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: kubernetes, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [rule, ...others] = parseManifests(stdout);
    expect([rule?.kind, others]).toEqual(["PrometheusRule", []]);
    expect(rule === undefined ? [] : schemaProblems(rule)).toEqual([]);
  });
});
