// Generated from schemas/ by `npm run generate`. Not to be edited.
/** By kind and path. */
export const manifestMembers: { readonly [kind: string]: { readonly [path: string]: readonly string[] } } = {
  "IPRestriction": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id",
      "previousNames"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "deletion",
      "replaced",
      "ignore"
    ],
    "spec": [
      "description",
      "metadata",
      "type",
      "enforced",
      "ip_policies"
    ],
    "spec.metadata": [
      "*"
    ],
    "spec.ip_policies.*": [
      "id"
    ]
  },
  "TLSEdge": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id",
      "previousNames"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "deletion",
      "replaced",
      "ignore"
    ],
    "spec": [
      "description",
      "metadata",
      "hostports",
      "backend",
      "ip_restriction",
      "mutual_tls",
      "tls_termination",
      "traffic_policy"
    ],
    "spec.metadata": [
      "*"
    ],
    "spec.hostports.*": [
      "address"
    ],
    "spec.backend": [
      "enabled",
      "backend"
    ],
    "spec.backend.backend": [
      "name",
      "id"
    ],
    "spec.ip_restriction": [
      "enabled",
      "ip_policies"
    ],
    "spec.ip_restriction.ip_policies.*": [
      "id"
    ],
    "spec.mutual_tls": [
      "enabled",
      "certificate_authorities"
    ],
    "spec.mutual_tls.certificate_authorities.*": [
      "id"
    ],
    "spec.tls_termination": [
      "enabled",
      "terminate_at",
      "min_version"
    ],
    "spec.traffic_policy": [
      "enabled",
      "value"
    ],
    "spec.traffic_policy.value": [
      "*"
    ]
  },
  "ReservedAddress": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id",
      "previousNames"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "deletion",
      "replaced",
      "ignore"
    ],
    "spec": [
      "description",
      "metadata",
      "region",
      "endpoint_configuration"
    ],
    "spec.metadata": [
      "*"
    ],
    "spec.endpoint_configuration": [
      "id"
    ]
  },
  "HTTPResponseBackend": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id",
      "previousNames"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "deletion",
      "replaced",
      "ignore"
    ],
    "spec": [
      "description",
      "metadata",
      "status_code",
      "headers",
      "body"
    ],
    "spec.metadata": [
      "*"
    ],
    "spec.headers": [
      "*"
    ],
    "spec.body": [
      "file"
    ]
  },
  "TLSCertificate": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id",
      "previousNames"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "deletion",
      "replaced",
      "ignore"
    ],
    "spec": [
      "description",
      "metadata",
      "certificate_pem",
      "private_key_pem"
    ],
    "spec.metadata": [
      "*"
    ],
    "spec.certificate_pem": [
      "file"
    ],
    "spec.private_key_pem": [
      "env",
      "file"
    ]
  },
  "HTTPSEdge": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "ignore"
    ],
    "spec": [
      "tls_termination"
    ],
    "spec.tls_termination": [
      "enabled",
      "min_version"
    ]
  },
  "HTTPSEdgeRoute": {
    "": [
      "apiVersion",
      "kind",
      "metadata",
      "lifecycle",
      "spec"
    ],
    "metadata": [
      "name",
      "labels",
      "id"
    ],
    "metadata.labels": [
      "*"
    ],
    "lifecycle": [
      "ignore"
    ],
    "spec": [
      "edge",
      "webhook_verification",
      "traffic_policy"
    ],
    "spec.edge": [
      "id"
    ],
    "spec.webhook_verification": [
      "enabled",
      "provider",
      "secret"
    ],
    "spec.webhook_verification.secret": [
      "env",
      "file"
    ],
    "spec.traffic_policy": [
      "enabled",
      "value"
    ],
    "spec.traffic_policy.value": [
      "*"
    ]
  }
};
