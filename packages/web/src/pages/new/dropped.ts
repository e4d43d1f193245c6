import { recogniseText } from "@tessera/wire/elsewhere";

const filesMax = 20;
const bytesMax = 256 * 1024;

type Given = Pick<File, "name" | "size" | "text">;

/** The texts of files as documents of one, in the order of their names; or what is wrong with one of them. */
export async function textOfFiles(files: readonly Given[]): Promise<{ text: string } | { wrong: string }> {
  if (files.length > filesMax) return { wrong: `${files.length} files are more than ${filesMax}; open fewer at once.` };
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const large = sorted.find(({ size }) => size > bytesMax);
  if (large !== undefined)
    return { wrong: `${large.name} has ${Math.ceil(large.size / 1024)} KiB; a job file has at most 256 KiB.` };
  const texts: string[] = [];
  for (const file of sorted) {
    const text = await file.text();
    if (text.includes("\0")) return { wrong: `${file.name} is not a text; a job file is YAML.` };
    if (text.startsWith("#!") && recogniseText(text) === undefined)
      return { wrong: `${file.name} is a script; submit it with tess run ${file.name}, which reads its options.` };
    if (text.trim() !== "") texts.push(text);
  }
  if (texts.length === 0) return { wrong: "The files are empty." };
  return { text: joinDocuments(texts) };
}

/** Texts as documents of one. */
export function joinDocuments(texts: readonly string[]): string {
  return texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}
