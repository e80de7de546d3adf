import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Manifest, kubernetes, onlyManifest, readManifests } from "./kubernetes-files.ts";

interface Labels {
  readonly [name: string]: string;
}
interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string; readonly defaultMode: number };
  readonly secret?: {
    readonly secretName: string;
    readonly defaultMode: number;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
  readonly emptyDir?: { readonly sizeLimit: string };
}
interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}
interface InitContainer {
  readonly image: string;
  readonly command: readonly string[];
  readonly volumeMounts: readonly [VolumeMount];
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly VolumeMount[];
}
interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly initContainers: readonly [InitContainer];
        readonly containers: readonly [Container];
        readonly volumes: readonly Volume[];
      };
    };
  };
}
interface Secret extends Manifest {
  readonly stringData: Labels;
}

export const kustomization: {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly [{ readonly name: string; readonly files: readonly string[] }];
} = parse(readFileSync(join(kubernetes, "kustomization.yaml"), "utf8"));

const deployment = onlyManifest("deployment.yaml") as Deployment;
const pod = deployment.spec.template.spec;
export const [container] = pod.containers;
export const [directories] = pod.initContainers;

export const secrets: ReadonlyMap<string, Labels> = new Map(
  (readManifests("secrets.example.yaml") as readonly Secret[]).map(({ metadata, stringData }) => [
    metadata.name,
    stringData,
  ]),
);

function filesOf({ name, configMap, secret, emptyDir }: Volume): ReadonlyMap<string, string> | null {
  if (emptyDir !== undefined) return null;
  if (configMap !== undefined) {
    const [generated] = kustomization.configMapGenerator;
    if (configMap.name !== generated.name) throw new Error(`nothing makes the ConfigMap ${configMap.name}`);
    const texts = generated.files.map((file): [string, string] => [
      file.slice(file.lastIndexOf("/") + 1),
      readFileSync(join(kubernetes, file), "utf8"),
    ]);
    return new Map(texts);
  }
  const texts = secrets.get(secret?.secretName ?? "");
  if (texts === undefined) throw new Error(`nothing tells of the Secret of ${name}`);
  const items = secret?.items ?? Object.keys(texts).map((key) => ({ key, path: key }));
  return new Map(
    items.map(({ key, path }): [string, string] => {
      const text = texts[key];
      if (text === undefined) throw new Error(`the Secret of ${name} has no ${key}`);
      return [path, text];
    }),
  );
}

export const mounts = container.volumeMounts.map(({ name, mountPath, subPath = "", readOnly = false }) => {
  const volume = pod.volumes.find((each) => each.name === name);
  if (volume === undefined) throw new Error(`there is no volume ${name}`);
  return { mountPath, subPath, readOnly, volume, files: filesOf(volume) };
});

export const mountedFiles: ReadonlyMap<string, string> = new Map(
  mounts.flatMap(({ mountPath, files }) =>
    [...(files ?? [])].map(([name, text]): [string, string] => [`${mountPath}/${name}`, text]),
  ),
);
