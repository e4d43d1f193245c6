/** A value that cannot be absent; throws with `why`, the assumption that is broken, if it is. */
export function must<Value>(value: Value | undefined | null, why: string): Value {
  if (value === undefined || value === null) throw new Error(`Bug: ${why}`);
  return value;
}
