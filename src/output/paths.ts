/** True of what has named fields: not null, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * What stands at a dotted path such as `providerData.sshNetworking.0.host`, or undefined. A key that holds dots itself
 * goes before the same path step by step. Only a record's own keys count, and nothing of this throws.
 */
export function valueAt(record: unknown, path: string): unknown {
  const whole = own(record, path);
  if (whole !== undefined) return whole;
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const value = valueAt(own(record, path.slice(0, dot)), path.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The first value of several paths that is there and not null. */
export function firstAt(record: unknown, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(record, path) ?? undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
