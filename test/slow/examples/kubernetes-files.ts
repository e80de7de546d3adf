import { PodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { root } from "../../repository/source-files.ts";

/**
 * The members of a value that a function never reads, such as `/spec/replicsa`. A compiled validator reads each member that
 * its schema describes, and passes over the others: those are the misspelt ones. What is below an unread member is not
 * listed.
 */
function unreadMembers<T extends object>(value: T, reader: (value: T) => void): readonly string[] {
  const read = new Map<object, Set<string>>();
  reader(watched(value, read));
  return unread(value, "", read);
}

function watched<T extends object>(value: T, read: Map<object, Set<string>>): T {
  const names = read.get(value) ?? new Set<string>();
  read.set(value, names);
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === "string") names.add(name);
      const member: unknown = Reflect.get(target, name, receiver);
      return typeof member === "object" && member !== null ? watched(member, read) : member;
    },
  });
}

function unread(value: object, path: string, read: ReadonlyMap<object, ReadonlySet<string>>): readonly string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const here = `${path}/${name}`;
    if (read.get(value)?.has(name) !== true) return [here];
    return typeof member === "object" && member !== null ? unread(member, here, read) : [];
  });
}

export const kubernetes = join(root, "examples/serve/kubernetes");

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: { readonly [name: string]: string } };
}

export function readManifests(name: string): readonly Manifest[] {
  return parseManifests(readFileSync(join(kubernetes, name), "utf8"));
}

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { version: "1.1" }).map((document): Manifest => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS();
  });
}

export function onlyManifest(name: string): Manifest {
  const [first, ...more] = readManifests(name);
  if (first === undefined || more.length > 0) throw new Error(`${name} has not exactly one document`);
  return first;
}

const models: { readonly [type: string]: new (data: never) => { validate(): void } } = {
  "apps/v1 Deployment": Deployment,
  "monitoring.coreos.com/v1 PodMonitor": PodMonitor,
  "monitoring.coreos.com/v1 PrometheusRule": PrometheusRule,
  "networking.k8s.io/v1 NetworkPolicy": NetworkPolicy,
  "policy/v1 PodDisruptionBudget": PodDisruptionBudget,
  "v1 ConfigMap": ConfigMap,
  "v1 Namespace": Namespace,
  "v1 Secret": Secret,
  "v1 Service": Service,
};

export function schemaProblems(manifest: Manifest): readonly string[] {
  const type = `${manifest.apiVersion} ${manifest.kind}`;
  const model = models[type];
  if (model === undefined) return [`${type} is not known`];
  try {
    return unreadMembers(new model(manifest as never), (each) => each.validate());
  } catch (error) {
    return [String(error)];
  }
}
