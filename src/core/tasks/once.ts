/** A function that calls `make` only once and returns the same promise every time. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= make();
    return result;
  };
}
