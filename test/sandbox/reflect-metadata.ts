/** The container inside @peculiar/x509 asks for decorator metadata when it is loaded, and never needs any. */
export function reflectMetadata(): void {
  const nothing = (): undefined => undefined;
  Object.assign(Reflect, { getMetadata: nothing, getOwnMetadata: nothing, defineMetadata: nothing });
}

if (!("getMetadata" in Reflect)) reflectMetadata();
