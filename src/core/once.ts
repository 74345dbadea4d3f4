/** Calls `make` on the first call only, and returns the same promise ever after. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= make();
    return result;
  };
}
