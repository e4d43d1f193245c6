import { specFailure } from "../failure.ts";
import type { Session } from "../session.ts";
import { type Locate, placesIn } from "./place.ts";
import { readText } from "./text.ts";

/** One document of a YAML or JSON file, with where its fields stand. */
export interface FileDocument {
  readonly value: unknown;
  /** `job.yaml`, or `job.yaml, document 2`. */
  readonly from: string;
  readonly locate: Locate;
}

interface ReadOptions {
  /** What may have been meant where there is no such file. */
  readonly ifMissing?: string;
  /** Looks at the text before it is parsed. */
  readonly before?: (text: string) => Promise<void>;
}

/** What the parser says in words of its own. */
const messages: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this field is there twice; keep one",
};

/** Reads the documents of a file (YAML 1.2 or JSON); `-` is standard input. Empty ones are left out. */
export async function readDocuments(
  session: Session,
  file: string,
  { ifMissing, before }: ReadOptions = {},
): Promise<FileDocument[]> {
  const text = await readText(session, file, ifMissing);
  await before?.(text);
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { version: "1.2", prettyErrors: false, lineCounter: lines });
  if (!Array.isArray(documents)) throw specFailure(`${file} is empty`);
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    const mistakes = errors.map(({ code, message, pos }) => {
      const { line, col } = lines.linePos(pos[0]);
      return { message: messages[code] ?? message, file, line, column: col };
    });
    throw specFailure(`${file} is not valid YAML`, undefined, mistakes);
  }
  const found = documents.map((document, index) => {
    const from = documents.length === 1 ? file : `${file}, document ${index + 1}`;
    return { value: contentOf(from, document), from, locate: placesIn(file, document, lines) };
  });
  const full = found.filter(({ value }) => value !== null && value !== undefined);
  if (full.length === 0) throw specFailure(`${file} is empty`);
  return full;
}

function contentOf(from: string, document: { toJS(): unknown }): unknown {
  try {
    const value = document.toJS(); // throws for too many aliases
    JSON.stringify(value); // throws for an alias inside of what it stands for
    return value;
  } catch (error) {
    const itself = error instanceof TypeError;
    throw specFailure(
      `${from}: ${itself ? "an alias (*name) stands for something that contains it" : "aliases (*name) repeat too much"}`,
      "write it out without aliases",
    );
  }
}
