import { link, open, rename, rm } from "node:fs/promises";

let temporaries = 0;

async function writeTemporary(path: string, text: string): Promise<string> {
  temporaries += 1;
  const temporary = `${path}.${process.pid}.${temporaries}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  return temporary;
}

/** Creates a file that is whole from the first moment it can be seen. False when the name is taken. */
export async function createWhole(path: string, text: string): Promise<boolean> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Puts a whole file in the place of the old one; a reader sees one or the other. */
export async function replaceWhole(path: string, text: string): Promise<void> {
  await rename(await writeTemporary(path, text), path);
}

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
