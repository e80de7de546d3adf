/** One violation, as the precompiled validators report it. Paths are JSON pointers. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
  /** The member whose name, not value, was found wanting. */
  readonly propertyName?: string;
}

/** A precompiled validator. The violations of the last call stand in `errors`. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}
