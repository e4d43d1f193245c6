/**
 * A folder as a value: what a snapshot of a user's code and the outputs of a job are. Its text is canonical, so the
 * sha256 of that text names exactly this folder.
 */
export interface Tree {
  readonly files: readonly TreeEntry[];
}

export type TreeEntry = TreeFile | TreeLink | TreeFolder;

export interface TreeFile {
  readonly path: string;
  /** Permissions alone, 0 to 0777. */
  readonly mode: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface TreeLink {
  readonly path: string;
  /** Where it points, relative to the folder it lies in. */
  readonly link: string;
}

/** Only a folder in which nothing lies needs an entry; the others follow from the paths. */
export interface TreeFolder {
  readonly path: string;
  readonly folder: true;
}

export interface TreeLimits {
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** What no tree may exceed, whatever a policy allows: a supervisor with a small heap must be able to read it. */
export const treeLimitsMax: TreeLimits = { filesMax: 100_000, bytesMax: 2 ** 40 };

const pathBytesMax = 1_024;
const nameBytesMax = 255;

/** What is wrong with a tree, and with which entry. */
export interface TreeFault {
  readonly path: string;
  readonly detail: string;
  readonly hint: string;
}

export function isTreeFile(entry: TreeEntry): entry is TreeFile {
  return "sha256" in entry;
}

export function isTreeLink(entry: TreeEntry): entry is TreeLink {
  return "link" in entry;
}

/** The order of the entries of a tree: by code unit, the same on every machine. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The canonical text of a tree. Its sha256 is the tree's id. */
export function treeText(tree: Tree): string {
  const entries = tree.files.map((entry) => {
    const { path } = entry;
    if (isTreeFile(entry)) return JSON.stringify({ path, mode: entry.mode, bytes: entry.bytes, sha256: entry.sha256 });
    return JSON.stringify(isTreeLink(entry) ? { path, link: entry.link } : { path, folder: true });
  });
  return `{"files":[${entries.join(",")}]}`;
}

/** Canonical text → tree; undefined where the text is not exactly the text of a tree. */
export function parseTree(text: string): Tree | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { files } = (value ?? {}) as { files?: unknown };
  if (!Array.isArray(files) || !files.every(isEntry)) return undefined;
  const tree = { files };
  return treeText(tree) === text ? tree : undefined;
}

function isEntry(value: unknown): value is TreeEntry {
  if (typeof value !== "object" || value === null) return false;
  const { path, link, folder, mode, bytes, sha256 } = value as Record<string, unknown>;
  if (typeof path !== "string") return false;
  if (sha256 !== undefined) return typeof sha256 === "string" && typeof mode === "number" && typeof bytes === "number";
  return link === undefined ? folder === true : typeof link === "string";
}

/** How much a tree holds. */
export function treeSize(tree: Tree): { readonly files: number; readonly bytes: number } {
  return {
    files: tree.files.length,
    bytes: tree.files.reduce((sum, entry) => sum + (isTreeFile(entry) ? entry.bytes : 0), 0),
  };
}

/**
 * The first thing for which a tree cannot be taken: the one place that says what a tree may hold. Nothing in it can
 * name a place outside the folder it is unpacked into.
 */
export function faultOfTree(tree: Tree, limits: TreeLimits): TreeFault | undefined {
  const { files } = tree;
  const filesMax = Math.min(limits.filesMax, treeLimitsMax.filesMax);
  const bytesMax = Math.min(limits.bytesMax, treeLimitsMax.bytesMax);
  if (files.length > filesMax) {
    return {
      path: "",
      detail: `it has ${files.length} files, and ${filesMax} are allowed`,
      hint: "Name what the job does not need in .tessignore.",
    };
  }
  const leaves = new Set<string>();
  let before: TreeEntry | undefined;
  let bytes = 0;
  for (const entry of files) {
    const fault = faultOfEntry(entry);
    if (fault !== undefined) return { path: entry.path, ...fault };
    if (before !== undefined && byPath(before, entry) >= 0) {
      return { path: entry.path, detail: "is named twice or out of order", hint: "Sort the entries by path." };
    }
    before = entry;
    leaves.add(entry.path);
    if (isTreeFile(entry)) bytes += entry.bytes;
  }
  if (bytes > bytesMax) {
    return {
      path: "",
      detail: `it has ${bytes} bytes, and ${bytesMax} are allowed`,
      hint: "Name what the job does not need in .tessignore.",
    };
  }
  for (const { path } of files) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      if (leaves.has(path.slice(0, slash))) {
        return {
          path,
          detail: `lies below ${path.slice(0, slash)}, which has an entry of its own`,
          hint: "Leave one out.",
        };
      }
    }
  }
  return undefined;
}

function faultOfEntry(entry: TreeEntry): Omit<TreeFault, "path"> | undefined {
  const name = faultOfPath(entry.path);
  if (name !== undefined) return { detail: name, hint: "Rename it, or name it in .tessignore." };
  if (isTreeLink(entry)) {
    const fault = faultOfLink(entry);
    return fault === undefined
      ? undefined
      : { detail: fault, hint: "Name it in .tessignore, or copy what it points to." };
  }
  if (!isTreeFile(entry)) return undefined;
  if (!isDigest(entry.sha256)) return { detail: "has no sha256 of 64 hexadecimal digits", hint: "Give the digest." };
  if (!isCount(entry.bytes, treeLimitsMax.bytesMax)) return { detail: "has no size in bytes", hint: "Give its size." };
  if (!isCount(entry.mode, 0o777)) return { detail: "has a mode beyond 0777", hint: "Give the permissions alone." };
  return undefined;
}

/** Why a path cannot be in a tree; undefined = it can. */
export function faultOfPath(path: string): string | undefined {
  if (utf8Bytes(path) > pathBytesMax) return `is longer than ${pathBytesMax} bytes`;
  if (unspeakable.test(path)) return "holds a control character or a broken one";
  for (const name of path.split("/")) {
    if (name === "") return "is not a relative path";
    if (name === "." || name === "..") return `holds "${name}"`;
    if (utf8Bytes(name) > nameBytesMax) return `holds a name of more than ${nameBytesMax} bytes`;
  }
  return undefined;
}

/**
 * Why a link cannot be in a tree. It may go up only at its beginning: a ".." after a name could follow another link
 * first and leave the folder, although the text alone does not.
 */
export function faultOfLink({ path, link }: TreeLink): string | undefined {
  if (link === "" || utf8Bytes(link) > pathBytesMax || unspeakable.test(link)) return "is a link to an impossible name";
  if (link.startsWith("/")) return `is a link out of the folder, to ${link}`;
  let depth = path.split("/").length - 1;
  let down = false;
  for (const name of link.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") down = true;
    else if (down || --depth < 0) return `is a link out of the folder, to ${link}`;
  }
  return undefined;
}

export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function isCount(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max;
}

/** Control characters, and halves of a character that no file name can hold. */
const unspeakable = /[\p{Cc}\p{Cs}]/u;

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
