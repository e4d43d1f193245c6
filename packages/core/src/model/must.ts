/** The value, which is there for the reason given; a missing one is a bug and stops the work. */
export function must<Value>(value: Value | undefined, why: string): Value {
  if (value === undefined) throw new Error(`missing value: ${why}`);
  return value;
}
