import type { ReferredKind } from "./kind.js";

export const ipPolicy: ReferredKind = { kind: null, title: "an IP policy", idPrefix: "ipp_" };

export const certificateAuthority: ReferredKind = { kind: null, title: "a certificate authority", idPrefix: "ca_" };

export const endpointConfiguration: ReferredKind = { kind: null, title: "an endpoint configuration", idPrefix: "ec_" };

/** Backends are of many kinds, of which this API lists one. */
export const anyBackend: ReferredKind = { kind: "HTTPResponseBackend", title: "a backend", idPrefix: null };

export const edgeOfRoutes: ReferredKind = { kind: null, title: "an HTTPS edge", idPrefix: null };

export const unmanagedKinds = [ipPolicy, certificateAuthority, endpointConfiguration].filter(
  ({ kind }) => kind === null,
);
