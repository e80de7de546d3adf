// Generated from schemas/ by `npm run generate`. Not to be edited.
/**
 * A manifest as YAML gives it, valid by its schema, variables substituted.
 */
export type ManifestDocument =
  IPRestriction | TLSEdge | ReservedAddress | HTTPResponseBackend | TLSCertificate | HTTPSEdge | HTTPSEdgeRoute;
/**
 * The version of the manifest format.
 */
export type ApiVersion = "edgewise/v1";
/**
 * The name of the resource, unique for its kind and stack. Lower-case letters, digits, '-', '.' and '_'; begins and ends with a letter or digit; at most 100 characters.
 */
export type Name = string;
/**
 * Labels for selecting resources with -l on the command line. Never sent to the service.
 */
export type Labels = {
  /**
   * The value of one label; always a string.
   */
  [k: string]: string | undefined;
} | null;
/**
 * The id of an existing resource. If no other stack owns it, this stack adopts it instead of creating a new one.
 */
export type AdoptedId = string | null;
/**
 * Former names of this resource. It is renamed in place instead of being deleted and created again.
 */
export type PreviousNames = Name[] | null;
/**
 * What happens to the resource when its manifest is removed: 'delete' deletes it, 'protect' refuses to delete it, 'orphan' keeps it and gives up ownership. Stored in the resource's marker, so that it still applies after the manifest is removed.
 */
export type Deletion = "delete" | "protect" | "orphan" | null;
/**
 * What happens to the old resource after a replace: 'delete' deletes it, 'orphan' keeps it and gives up ownership.
 */
export type Replaced = "delete" | "orphan" | null;
/**
 * Fields that keep their live value. They are neither compared nor written.
 */
export type Ignore = string[] | null;
/**
 * A description for people.
 */
export type Description = string | null;
/**
 * Your own machine-readable data: a map or a string, stored beside the ownership marker. The member 'edgewise' is reserved for the marker. Data and marker together may take 4096 bytes of UTF-8.
 */
export type UserMetadata =
  | {
      edgewise?: never;
      [k: string]: unknown | undefined;
    }
  | string
  | null;
/**
 * An id that the service assigned.
 */
export type Id = string;
/**
 * The IP policies, each by its id, in any order.
 */
export type IpPolicies = RefById[];
/**
 * Whether the module is applied to traffic. false keeps its configuration but switches it off.
 */
export type Enabled = boolean | null;
/**
 * The oldest TLS version that is accepted, in quotes: "1.2". If omitted, the live value is kept, and the service chooses one for a new resource. Must be null when terminate_at is upstream.
 */
export type MinVersion = string | null;
/**
 * Rules that the service applies to the traffic.
 */
export type TrafficPolicy = {
  enabled?: Enabled;
  value: Policy;
} | null;
/**
 * The policy: a YAML object of phases (sent as compact JSON), a string of JSON (sent unchanged), or {file: path} of a YAML or JSON file. Inside an object, {env: NAME} or {file: path} in place of a string reads a secret from an environment variable or a file.
 */
export type Policy =
  | {
      [k: string]: unknown | undefined;
    }
  | string;
/**
 * A description for people.
 */
export type LongDescription = string | null;
/**
 * Your own machine-readable data: a map or a string, stored beside the ownership marker. The member 'edgewise' is reserved for the marker.
 */
export type LongUserMetadata =
  | {
      edgewise?: never;
      [k: string]: unknown | undefined;
    }
  | string
  | null;
/**
 * The path of a file, relative to the manifest.
 */
export type Path = string;
/**
 * A string, or {file: path} to read it from a file.
 */
export type Content =
  | string
  | {
      file: Path;
    };
/**
 * {env: NAME} to read it from an environment variable, or {file: path} to read it from a file. An inline value is an error, unless you give --allow-inline-secrets.
 */
export type Secret =
  | {
      /**
       * The name of the environment variable that holds the secret. It can't be the API key's.
       */
      env?: string;
      file?: Path;
    }
  | string;
/**
 * How the modules are managed. They have no owner and are never deleted with the manifest.
 */
export type ModuleLifecycle = {
  ignore?: Ignore;
} | null;

/**
 * Restricts one kind of the account's traffic (dashboard, API, agent or endpoints) to the addresses that IP policies allow.
 */
export interface IPRestriction {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "IPRestriction";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which fields are ignored.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The desired restriction. Omitted fields have their defaults.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    /**
     * The traffic that the policies restrict. It can't be updated: changing it replaces the restriction.
     */
    type: "dashboard" | "api" | "agent" | "endpoints";
    /**
     * true blocks the traffic. false only issues warnings.
     */
    enforced: boolean;
    ip_policies: IpPolicies;
  };
}
/**
 * The name of the resource, and how to find it. This is not spec.metadata, which is sent to the service.
 */
export interface Metadata {
  name: Name;
  labels?: Labels;
  id?: AdoptedId;
  previousNames?: PreviousNames;
}
/**
 * The id of something that no manifest describes.
 */
export interface RefById {
  id: Id;
}
/**
 * Serves hostports over TLS, with modules for the backend, access, termination and traffic policy.
 */
export interface TLSEdge {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "TLSEdge";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which fields are ignored.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The desired edge. A module that is omitted or null must not exist.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    /**
     * The hostports that the edge serves, in any order: host:port, or {address: name} for the address of a ReservedAddress manifest.
     *
     * Items: host:port, or {address: name} for the address of a ReservedAddress manifest.
     */
    hostports: (
      | string
      | {
          address: Name;
        }
    )[];
    /**
     * The backend that receives the traffic.
     */
    backend?: {
      enabled?: Enabled;
      backend: BackendRef;
    } | null;
    /**
     * The IP policies that decide who may connect to this edge.
     */
    ip_restriction?: {
      enabled?: Enabled;
      ip_policies: IpPolicies;
    } | null;
    /**
     * The certificate authorities whose client certificates are accepted.
     */
    mutual_tls?: {
      enabled?: Enabled;
      /**
       * The authorities, each by its id, in any order.
       */
      certificate_authorities: RefById[];
    } | null;
    /**
     * Where TLS is terminated, and which versions are accepted.
     */
    tls_termination?: {
      enabled?: Enabled;
      /**
       * 'edge': the service terminates TLS. 'upstream': TLS passes through, so modules that inspect the traffic are not allowed. 'agent': on some services, the agent terminates TLS. If omitted, the live value is kept; but a live 'upstream' becomes 'edge' if the manifest names min_version, mutual_tls or traffic_policy.
       */
      terminate_at?: "edge" | "upstream" | "agent" | null;
      min_version?: MinVersion;
    } | null;
    traffic_policy?: TrafficPolicy;
  };
}
/**
 * {name: …} of an HTTPResponseBackend manifest, {name: …, stack: …} of one that another stack owns, or {id: …} of any other backend.
 */
export interface BackendRef {
  name?: Name;
  /**
   * The other stack whose backend it is; without it, a manifest of this stack describes the backend.
   */
  stack?: string;
  id?: Id;
}
/**
 * A hostname and port that the service assigns to the account. Once deleted, it can't be restored.
 */
export interface ReservedAddress {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "ReservedAddress";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which fields are ignored.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The desired address. The service chooses the hostname and port.
   */
  spec: {
    description?: LongDescription;
    metadata?: UserMetadata;
    /**
     * The region that serves the address. If omitted, the live value is kept, and a new address is created in us. It can't be updated: changing it replaces the address.
     */
    region?: "au" | "eu" | "ap" | "us" | "jp" | "in" | "sa" | null;
    endpoint_configuration?: RefById;
  };
}
/**
 * Answers every request with one fixed HTTP response.
 */
export interface HTTPResponseBackend {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "HTTPResponseBackend";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which fields are ignored.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The desired response.
   */
  spec: {
    description?: LongDescription;
    metadata?: LongUserMetadata;
    /**
     * The HTTP status of the response.
     */
    status_code: number;
    /**
     * The headers of the response: name to value. The service converts the names to lower case.
     */
    headers?: {
      /**
       * The value of one header; always a string.
       */
      [k: string]: string | undefined;
    } | null;
    /**
     * The body of the response: a string, or {file: path} to read it from a file.
     */
    body?:
      | string
      | {
          file: Path;
        }
      | null;
  };
}
/**
 * An uploaded certificate chain with its private key.
 */
export interface TLSCertificate {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "TLSCertificate";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which fields are ignored.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The desired certificate.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    certificate_pem: Content;
    private_key_pem: Secret;
  };
}
/**
 * Modules of an existing HTTPS edge. Only the modules that you name are managed: an object is the desired module, null means that the module must not exist.
 */
export interface HTTPSEdge {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "HTTPSEdge";
  metadata: ModuleMetadata;
  lifecycle?: ModuleLifecycle;
  /**
   * The managed modules. The edge itself is not managed.
   */
  spec: {
    /**
     * The TLS versions that the edge accepts. You can't choose where TLS is terminated here.
     */
    tls_termination?: {
      enabled?: Enabled;
      min_version?: MinVersion;
    } | null;
  };
}
/**
 * The name of the manifest, and the existing resource that it is for.
 */
export interface ModuleMetadata {
  name: Name;
  labels?: Labels;
  id?: AdoptedId;
}
/**
 * Modules of an existing route of an HTTPS edge. Only the modules that you name are managed: an object is the desired module, null means that the module must not exist.
 */
export interface HTTPSEdgeRoute {
  apiVersion: ApiVersion;
  /**
   * The kind of resource.
   */
  kind: "HTTPSEdgeRoute";
  metadata: ModuleMetadata;
  lifecycle?: ModuleLifecycle;
  /**
   * The managed modules, and the edge that the route belongs to. The route itself is not managed.
   */
  spec: {
    edge: RefById;
    /**
     * Accepts only requests that a webhook provider has signed.
     */
    webhook_verification?: {
      enabled?: Enabled;
      /**
       * The provider of the webhooks, in upper case.
       */
      provider: string;
      /**
       * The secret that validates requests from the provider: {env: NAME} or {file: path}. Required for every provider except SNS.
       */
      secret?:
        | {
            /**
             * The name of the environment variable that holds the secret. It can't be the API key's.
             */
            env?: string;
            file?: Path;
          }
        | string
        | null;
    } | null;
    traffic_policy?: TrafficPolicy;
  };
}
