import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Manifest,
  kubernetes,
  onlyManifest,
  parseManifests,
  readManifests,
  schemaProblems,
} from "./kubernetes-files.ts";
import {
  type Container,
  type Labels,
  type Selecting,
  container,
  deployment,
  directories,
  kustomization,
  mountedFiles,
  mounts,
  pod,
  secrets,
} from "./serve-deployment.ts";

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

  it("lets every selector find the pods", () => {
    const { labels } = deployment.spec.template.metadata;
    expect(Object.keys(labels).length).toBeGreaterThan(0);
    const selectors: readonly (Labels | undefined)[] = [
      deployment.spec.selector.matchLabels,
      ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
      (onlyManifest("pod-disruption-budget.yaml") as Manifest & { spec: { selector: Selecting } }).spec.selector
        .matchLabels,
      (onlyManifest("service.yaml") as Manifest & { spec: { selector: Labels } }).spec.selector,
      (onlyManifest("network-policy.yaml") as Manifest & { spec: { podSelector: Selecting } }).spec.podSelector
        .matchLabels,
      (onlyManifest("pod-monitor.yaml") as Manifest & { spec: { selector: Selecting } }).spec.selector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
  });

  it("gives the pods no power", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        fsGroup: 65_532,
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    for (const each of [directories, container])
      expect(each).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: { limits: { memory: expect.stringMatching(/^(64Mi|1Gi)$/) } },
      });
    expect(onlyManifest("namespace.yaml").metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    for (const { volume, readOnly } of mounts) {
      expect(readOnly, volume.name).toBe(volume.emptyDir === undefined);
      expect(volume.emptyDir ?? { sizeLimit: "" }).toHaveProperty("sizeLimit");
      if (volume.secret !== undefined) expect(volume.secret.defaultMode).toBe(0o440);
    }
    expect([...new Set(mounts.map(({ volume }) => volume))]).toEqual(pod.volumes);
  });

  it("mounts what the command line, the fleet file and the database's address name, and keeps nothing else", () => {
    expect(container.args[0]).toBe("serve");
    expect([...mountedFiles.keys()]).toContain(container.args[1]);
    const written = mounts.filter(({ files }) => files === null).map(({ mountPath }) => mountPath);
    expect(written).toContain(after("--state").replace(/\/[^/]+$/, ""));
    expect(written).toContain("/tmp");
    // What anybody can write into is seen by the container that makes directories alone.
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
    // The line of the password is for this very address.
    expect(secrets.get("edgewise-database")?.["pgpass"]).toBe(
      [url.hostname, url.port, url.pathname.slice(1), url.username, "REPLACE-ME"].join(":"),
    );
    expect(url.password).toBe("");
  });

  it("asks for health and metrics where they are, and lets in who asks", () => {
    const [{ name, containerPort }] = container.ports.map((each) => each) as [Container["ports"][number]];
    expect(after("--listen")).toBe(`0.0.0.0:${containerPort}`);
    expect([container.startupProbe, container.livenessProbe, container.readinessProbe]).toMatchObject([
      { httpGet: { path: "/healthz", port: name } },
      { httpGet: { path: "/healthz", port: name } },
      { httpGet: { path: "/readyz", port: name } },
    ]);
    expect(onlyManifest("pod-monitor.yaml")).toMatchObject({
      spec: { podMetricsEndpoints: [{ port: name, path: "/metrics" }] },
    });
    expect(onlyManifest("service.yaml")).toMatchObject({ spec: { ports: [{ targetPort: name }] } });
    interface Peers {
      readonly from?: readonly object[];
      readonly to?: readonly object[];
      readonly ports: readonly { readonly port: number }[];
    }
    const { spec } = onlyManifest("network-policy.yaml") as Manifest & {
      spec: { policyTypes: string[]; ingress: Peers[]; egress: Peers[] };
    };
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    expect(spec.ingress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[containerPort]]);
    expect(spec.egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [5432], [443, 22]]);
    // A rule without peers would let in, or out, everybody.
    for (const { from, to } of [...spec.ingress, ...spec.egress]) expect((from ?? to)?.length).toBeGreaterThan(0);
  });

  it("holds no secret: every value is to be replaced", () => {
    for (const [name, texts] of secrets)
      for (const [key, value] of Object.entries(texts)) expect(value, `${name} ${key}`).toContain("REPLACE-ME");
    const used = pod.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    expect(new Set(used)).toEqual(new Set(secrets.keys()));
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
