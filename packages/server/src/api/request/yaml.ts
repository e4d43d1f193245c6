import { Composer, isScalar, Lexer, Parser, visit, type YAMLMap } from "yaml";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { depthMax, findForbidden, tooDeep, tooMany } from "./body.ts";

/** YAML is written by people, and takes a hundred times as long to read as JSON. */
const yamlValuesMax = 10_000;

/** An alias saves a line in a job file; more than a few build a bomb. */
const aliasesMax = 16;
/** Of one alias within another; the parser counts the nodes that they stand for. */
const aliasedNodesMax = 100;

/** YAML 1.2 text, one document → value. Limits hold while it is read, not after. */
export function parseYaml(text: string): { readonly value: unknown } | Denial {
  const tokens = readTokens(text);
  if (isDenied(tokens)) return tokens;
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false, // compares each key with each other one; see `keyTwice`
    merge: false,
    stringKeys: true,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens, true, text.length)];
  if (documents.length > 1) {
    return deny("malformed", "The body holds several YAML documents.", "Send each document in a request of its own.");
  }
  const document = documents[0]!;
  const error = document.errors[0];
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    const where = line === undefined ? lineAt(text, error.pos[0]) : line;
    return deny(
      "malformed",
      `The body is not YAML: ${firstLine(error.message)} (line ${where}).`,
      "Check it with a YAML tool.",
    );
  }
  let aliases = 0;
  let twice: string | undefined;
  visit(document, {
    Alias: () => void aliases++,
    Map: (_, map) => {
      twice = keyTwice(map);
      return twice === undefined ? undefined : visit.BREAK;
    },
  });
  if (twice !== undefined)
    return deny("malformed", `The body is not YAML: Map keys must be unique; ${twice}.`, "Remove one of the two.");
  if (aliases > aliasesMax) {
    return deny(
      "malformed",
      `The body uses ${aliases} YAML aliases; the limit is ${aliasesMax}.`,
      "Write the values out.",
    );
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: aliasedNodesMax });
  } catch (thrown) {
    return deny("malformed", `The body is not YAML: ${firstLine((thrown as Error).message)}.`, "Write the values out.");
  }
  return findForbidden(value) ?? { value };
}

/** Runs the reader by hand to watch how deep it is: what it builds is later walked by recursion. */
function readTokens(text: string) {
  const parser = new Parser();
  const tokens = [];
  let values = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (separators.has(lexeme) && ++values > yamlValuesMax) return tooMany(yamlValuesMax);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > depthMax + 2) return tooDeep();
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** What begins a field or a list item. */
const separators: ReadonlySet<string> = new Set([":", "-", ",", "?"]);

/** A key that a map has twice, and on which line. */
function keyTwice({ items }: YAMLMap): string | undefined {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) return `${JSON.stringify(String(name).slice(0, 100))} is there twice`;
    seen.add(name);
  }
  return undefined;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < position; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

function firstLine(message: string): string {
  return message.split("\n")[0]!.replace(/:$/, "").slice(0, 200);
}
