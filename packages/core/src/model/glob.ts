/**
 * Whether a path matches a pattern: `*` and `?` within a name, `[a-z]` one character, `**` any number of folders. A
 * pattern that matches a folder matches all that lies below it. Takes time in proportion to the lengths of both, because
 * patterns come from users.
 */
export function matchesGlob(path: string, pattern: string): boolean {
  const names = path.split("/");
  const parts = pattern.split("/").filter((part, i, all) => part !== "." && (part !== "" || i < all.length - 1));
  // The parts that may come next, after each name: a part is never tried twice for one name.
  let next = skipFolders(new Set([0]), parts);
  for (const name of names) {
    const after = new Set<number>();
    for (const at of next) {
      if (parts[at] === "**") after.add(at);
      else if (at < parts.length && nameMatches(name, parts[at]!)) after.add(at + 1);
    }
    next = skipFolders(after, parts);
    if (next.has(parts.length)) return true;
    if (next.size === 0) return false;
  }
  return false;
}

/** True for text that stands for more than itself. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

function skipFolders(places: Set<number>, parts: readonly string[]): Set<number> {
  for (const at of places) if (parts[at] === "**") places.add(at + 1);
  return places;
}

/** One name and one part; goes back to the last star only, which is enough. */
function nameMatches(name: string, part: string): boolean {
  let [at, in_, star, from] = [0, 0, -1, 0];
  while (in_ < name.length) {
    const one = at < part.length && part[at] !== "*" ? readOne(part, at) : undefined;
    if (one?.takes(name[in_]!) === true) {
      at = one.end;
      in_++;
    } else if (part[at] === "*") {
      star = at++;
      from = in_;
    } else if (star >= 0) {
      at = star + 1;
      in_ = ++from;
    } else return false;
  }
  while (part[at] === "*") at++;
  return at === part.length;
}

interface One {
  readonly end: number;
  takes(character: string): boolean;
}

/** What stands for one character at this place of a part: itself, `?`, `[…]`, or `\` before anything. */
function readOne(part: string, at: number): One {
  const character = part[at]!;
  if (character === "?") return { end: at + 1, takes: () => true };
  if (character === "\\" && at + 1 < part.length) return { end: at + 2, takes: (other) => other === part[at + 1] };
  const close = character === "[" ? part.indexOf("]", at + 2) : -1;
  if (close < 0) return { end: at + 1, takes: (other) => other === character };
  const not = part[at + 1] === "!" || part[at + 1] === "^";
  const set = part.slice(at + (not ? 2 : 1), close);
  return { end: close + 1, takes: (other) => inSet(other, set) !== not };
}

function inSet(character: string, set: string): boolean {
  for (let i = 0; i < set.length; i++) {
    const isRange = set[i + 1] === "-" && i + 2 < set.length;
    if (isRange ? set[i]! <= character && character <= set[i + 2]! : set[i] === character) return true;
    if (isRange) i += 2;
  }
  return false;
}
