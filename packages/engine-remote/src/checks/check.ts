import { BadMessage } from "@tessera/engine/remote";

/** Says what is wrong with a value, or nothing. `at` is the place of the value, for the message. */
export type Check = (value: unknown, at: string) => string | undefined;

export function mustBe(check: Check, value: unknown, at: string): void {
  const fault = check(value, at);
  if (fault !== undefined) throw new BadMessage(fault);
}

export const text =
  (lengthMax: number): Check =>
  (value, at) =>
    typeof value === "string" && value.length <= lengthMax && !value.includes("\0")
      ? undefined
      : `${at} must be a text of at most ${lengthMax} characters`;

export const whole =
  (most = Number.MAX_SAFE_INTEGER): Check =>
  (value, at) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
      ? undefined
      : `${at} must be a whole number from 0 to ${most}`;

export const flag: Check = (value, at) => (typeof value === "boolean" ? undefined : `${at} must be true or false`);

export const oneOf =
  (...names: readonly string[]): Check =>
  (value, at) =>
    names.includes(value as string) ? undefined : `${at} must be one of ${names.join(", ")}`;

export const maybe =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);

export const list =
  (of: Check, countMax: number): Check =>
  (value, at) => {
    if (!Array.isArray(value) || value.length > countMax) return `${at} must be a list of at most ${countMax}`;
    for (const [i, item] of value.entries()) {
      const fault = of(item, `${at}[${i}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** Values by names of any choice. */
export const table =
  (of: Check, countMax: number): Check =>
  (value, at) => {
    if (!isPlain(value) || Object.keys(value).length > countMax) return `${at} must have at most ${countMax} entries`;
    for (const [name, item] of Object.entries(value)) {
      const fault = text(200)(name, `a name in ${at}`) ?? of(item, `${at}.${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** These fields and no others. */
export const fields =
  (shape: { readonly [name: string]: Check }): Check =>
  (value, at) => {
    if (!isPlain(value)) return `${at} must be an object`;
    for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) return `${at} has an unknown field ${name}`;
    for (const [name, check] of Object.entries(shape)) {
      const fault = check(value[name], `${at}.${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** The first of several shapes that fits. */
export const either =
  (...checks: readonly Check[]): Check =>
  (value, at) => {
    const faults = checks.map((check) => check(value, at));
    return faults.includes(undefined) ? undefined : faults[0];
  };

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
