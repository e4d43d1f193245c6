/** The value, which is known to be there; `why` names what is broken where it is not. */
export function must<Value>(value: Value | undefined | null, why: string): Value {
  if (value === undefined || value === null) throw new Error(`Bug: ${why}`);
  return value;
}
