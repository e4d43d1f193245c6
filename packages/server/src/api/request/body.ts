import { type Denial, deny } from "../answer/problem.ts";

export const bodyBytesMax = 1_048_576;
/** Nothing we take is nested deeper than a handful; recursion below this depth is safe everywhere. */
export const depthMax = 32;
/** Fields and list items together. A job file has dozens, the list of a large folder some thousands. */
export const valuesMax = 12_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Bytes → text, refusing what is not UTF-8: it could not be stored as it was sent. */
export function textOf(bytes: Uint8Array): string | Denial {
  try {
    return utf8.decode(bytes);
  } catch {
    return deny("malformed", "The body is not UTF-8 text.", "Save it as UTF-8.");
  }
}

/** JSON text → value. Refuses nesting beyond the limit, keys that reach into prototypes, and broken characters. */
export function parseJson(text: string): { readonly value: unknown } | Denial {
  const beyond = beyondLimits(text);
  if (beyond !== undefined) return beyond;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return deny(
      "malformed",
      `The body is not JSON: ${(error as Error).message.slice(0, 200)}.`,
      "Check it with a JSON tool.",
    );
  }
  // Only text that holds one of these can hold what is refused below; most does not.
  const suspect = text.includes("\\u") || text.includes("__proto__") || text.includes("constructor");
  return (suspect ? findForbidden(value) : undefined) ?? { value };
}

export function tooDeep(): Denial {
  return deny("malformed", `The body is nested deeper than ${depthMax} levels.`, "Use fewer levels.");
}

export function tooMany(most: number): Denial {
  return deny(
    "malformed",
    `The body holds more than ${most} fields and list items.`,
    "Send fewer, or send them in several requests.",
  );
}

/** Counts brackets, and what separates values, outside strings without parsing. */
function beyondLimits(text: string): Denial | undefined {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < text.length; i++) {
        const inside = text.charCodeAt(i);
        if (inside === 0x5c) i++;
        else if (inside === 0x22) break;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) return tooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x2c && ++values >= valuesMax) return tooMany(valuesMax);
  }
  return undefined;
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** The first key or text in a parsed value that must not go further. */
export function findForbidden(value: unknown, path = "", depth = 0): Denial | undefined {
  // YAML can refer to what is above, and then there is no end.
  if (depth > depthMax) return tooDeep();
  if (typeof value === "string") {
    if (value.isWellFormed()) return undefined;
    return deny("invalid", `${path || "The body"} holds an incomplete Unicode character.`, "Remove it.", path);
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    if (!Array.isArray(value) && (forbiddenKeys.has(key) || !key.isWellFormed())) {
      return deny(
        "unknown-field",
        "has a name that no field may have",
        "Leave it out.",
        at.toWellFormed().slice(0, 200),
      );
    }
    const found = findForbidden(inner, at, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
