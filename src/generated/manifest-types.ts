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
 * Names the resource among those of its kind and stack. Lower-case letters, digits, '-', '.' and '_'; begins and ends with a letter or digit; at most 100 characters.
 */
export type Name = string;
/**
 * Labels for choosing resources with -l on the command line. Never sent to the service.
 */
export type Labels = {
  /**
   * The value of one label, always text.
   */
  [k: string]: string | undefined;
} | null;
/**
 * The id of an existing resource. When nothing else owns it, the stack adopts it instead of making a new one.
 */
export type AdoptedId = string | null;
/**
 * Names that this resource had before: it is renamed in place instead of being deleted and made again.
 */
export type PreviousNames = Name[] | null;
/**
 * What becomes of the resource when its manifest goes: 'delete' deletes it, 'protect' refuses to, 'orphan' leaves it and gives up its ownership. Remembered in the resource itself, so that it outlives the manifest.
 */
export type Deletion = "delete" | "protect" | "orphan" | null;
/**
 * What becomes of the old resource once a new one has taken its place: 'delete' deletes it, 'orphan' leaves it and gives up its ownership.
 */
export type Replaced = "delete" | "orphan" | null;
/**
 * Fields whose live value is left alone: they are neither compared nor written.
 */
export type Ignore = string[] | null;
/**
 * What it is for, for people. At most 255 bytes of UTF-8.
 */
export type Description = string | null;
/**
 * Your own machine-readable data: a map or a text, kept beside the ownership marker. The member 'edgewise' is the marker's. Together they may take 4096 bytes of UTF-8.
 */
export type UserMetadata =
  | {
      edgewise?: never;
      [k: string]: unknown | undefined;
    }
  | string
  | null;
/**
 * An id that the service gave to something.
 */
export type Id = string;
/**
 * The IP policies that decide, each by its id. Their order means nothing.
 */
export type IpPolicies = RefById[];
/**
 * Whether the module is applied to traffic; false keeps it configured but idle.
 */
export type Enabled = boolean | null;
/**
 * The oldest TLS version that is accepted, in quotes: "1.2". Not named: what is live stays, and the service picks one for a new resource. Must be null when terminate_at is upstream.
 */
export type MinVersion = string | null;
/**
 * Rules that are applied to the traffic.
 */
export type TrafficPolicy = {
  enabled?: Enabled;
  /**
   * The policy: a YAML object of phases (sent as compact JSON), a text that holds JSON (sent as it stands), or {file: path} of a YAML or JSON file. Within an object, {env: NAME} of an environment variable or {file: path} of a file stands for a secret text.
   */
  value:
    | {
        [k: string]: unknown | undefined;
      }
    | string;
} | null;
/**
 * What it is for, for people.
 */
export type LongDescription = string | null;
/**
 * Your own machine-readable data: a map or a text, kept beside the ownership marker. The member 'edgewise' is the marker's.
 */
export type LongUserMetadata =
  | {
      edgewise?: never;
      [k: string]: unknown | undefined;
    }
  | string
  | null;
/**
 * Path of a file, relative to the manifest.
 */
export type Path = string;
/**
 * A text, or {file: path} of the file that holds it.
 */
export type Content =
  | string
  | {
      file: Path;
    };
/**
 * {env: NAME} of the environment variable or {file: path} of the file that holds it. Written inline it is an error, unless --allow-inline-secrets is given.
 */
export type Secret =
  | {
      /**
       * Name of the environment variable that holds the secret. Never the one of the API key.
       */
      env?: string;
      file?: Path;
    }
  | string;
/**
 * How the modules are looked after. They have no owner and are never deleted with the manifest.
 */
export type ModuleLifecycle = {
  ignore?: Ignore;
} | null;

/**
 * Restricts who may reach a kind of the account's traffic (dashboard, API, agent or endpoints) to what IP policies allow.
 */
export interface IPRestriction {
  apiVersion: ApiVersion;
  /**
   * What the manifest describes.
   */
  kind: "IPRestriction";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which of its fields are left alone.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The restriction as it should be. What is not named has its default.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    /**
     * The traffic that the policies restrict. Can't be changed: another type makes a new restriction.
     */
    type: "dashboard" | "api" | "agent" | "endpoints";
    /**
     * true: traffic is blocked; false: only warnings are issued.
     */
    enforced: boolean;
    ip_policies: IpPolicies;
  };
}
/**
 * How the manifest's resource is named and found. Not to be confused with spec.metadata, which is sent to the service.
 */
export interface Metadata {
  name: Name;
  labels?: Labels;
  id?: AdoptedId;
  previousNames?: PreviousNames;
}
/**
 * Names something that no manifest describes, by its id.
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
   * What the manifest describes.
   */
  kind: "TLSEdge";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which of its fields are left alone.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The edge as it should be. A module that is not named, or null, must not exist.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    /**
     * What the edge serves: host:port, or {address: name} for the address of a ReservedAddress manifest. Their order means nothing.
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
     * Where the traffic goes.
     */
    backend?: {
      enabled?: Enabled;
      backend: BackendRef;
    } | null;
    /**
     * IP policies that decide who may connect to this edge.
     */
    ip_restriction?: {
      enabled?: Enabled;
      ip_policies: IpPolicies;
    } | null;
    /**
     * Certificate authorities whose client certificates are accepted.
     */
    mutual_tls?: {
      enabled?: Enabled;
      /**
       * The authorities, each by its id. Their order means nothing.
       */
      certificate_authorities: RefById[];
    } | null;
    /**
     * Where TLS ends, and which versions of it are accepted.
     */
    tls_termination?: {
      enabled?: Enabled;
      /**
       * 'edge': the service terminates TLS. 'upstream': TLS passes through, which forbids the modules that look into the traffic. 'agent': on some services, the agent terminates it. Not named: what is live stays.
       */
      terminate_at?: "edge" | "upstream" | "agent" | null;
      min_version?: MinVersion;
    } | null;
    traffic_policy?: TrafficPolicy;
  };
}
/**
 * {name} of an HTTPResponseBackend manifest, or {id} of any other backend.
 */
export interface BackendRef {
  name?: Name;
  id?: Id;
}
/**
 * A hostname and port that the service assigns to the account. Once deleted it can't be had again.
 */
export interface ReservedAddress {
  apiVersion: ApiVersion;
  /**
   * What the manifest describes.
   */
  kind: "ReservedAddress";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which of its fields are left alone.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The address as it should be. The hostname and port themselves are the service's choice.
   */
  spec: {
    description?: LongDescription;
    metadata?: UserMetadata;
    /**
     * Where the address is served. Not named: what is live stays; a new address is made in us. Can't be changed: another region makes a new address.
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
   * What the manifest describes.
   */
  kind: "HTTPResponseBackend";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which of its fields are left alone.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The response as it should be.
   */
  spec: {
    description?: LongDescription;
    metadata?: LongUserMetadata;
    /**
     * HTTP status of the response.
     */
    status_code: number;
    /**
     * Headers of the response, name to value. The service lower-cases the names.
     */
    headers?: {
      /**
       * The value of one header, always text.
       */
      [k: string]: string | undefined;
    } | null;
    /**
     * The content to return: a text, or {file: path} of the file that holds it.
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
   * What the manifest describes.
   */
  kind: "TLSCertificate";
  metadata: Metadata;
  /**
   * What may happen to the resource, and which of its fields are left alone.
   */
  lifecycle?: {
    deletion?: Deletion;
    replaced?: Replaced;
    ignore?: Ignore;
  } | null;
  /**
   * The certificate as it should be.
   */
  spec: {
    description?: Description;
    metadata?: UserMetadata;
    certificate_pem: Content;
    private_key_pem: Secret;
  };
}
/**
 * Modules of an existing HTTPS edge. Only what is named is managed: an object must be so, null must be absent.
 */
export interface HTTPSEdge {
  apiVersion: ApiVersion;
  /**
   * What the manifest describes.
   */
  kind: "HTTPSEdge";
  metadata: ModuleMetadata;
  lifecycle?: ModuleLifecycle;
  /**
   * The modules that are managed. The edge itself is not.
   */
  spec: {
    /**
     * Which TLS versions the edge accepts. Where TLS ends is not a choice here.
     */
    tls_termination?: {
      enabled?: Enabled;
      min_version?: MinVersion;
    } | null;
  };
}
/**
 * How the manifest is named, and which existing resource it speaks of.
 */
export interface ModuleMetadata {
  name: Name;
  labels?: Labels;
  id?: AdoptedId;
}
/**
 * Modules of an existing route of an HTTPS edge. Only what is named is managed: an object must be so, null must be absent.
 */
export interface HTTPSEdgeRoute {
  apiVersion: ApiVersion;
  /**
   * What the manifest describes.
   */
  kind: "HTTPSEdgeRoute";
  metadata: ModuleMetadata;
  lifecycle?: ModuleLifecycle;
  /**
   * The modules that are managed, and the edge that the route belongs to. The route itself is not managed.
   */
  spec: {
    edge: RefById;
    /**
     * Lets only requests through that a webhook provider has signed.
     */
    webhook_verification?: {
      enabled?: Enabled;
      /**
       * The provider that sends the webhooks, in upper case.
       */
      provider: string;
      /**
       * Validates requests from the provider: {env: NAME} or {file: path}. Every provider but SNS needs one.
       */
      secret?:
        | {
            /**
             * Name of the environment variable that holds the secret. Never the one of the API key.
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
