import { Composer, Lexer, Parser, visit } from "yaml";
import { type Denial, deny } from "../answer/problem.ts";
import { depthMax, findForbidden, tooDeep } from "./body.ts";

/** An alias saves a line in a job file; more than a few build a bomb. */
const aliasesMax = 16;
/** Of one alias within another; the parser counts the nodes that they stand for. */
const aliasedNodesMax = 100;

/** YAML 1.2 text, one document → value. Limits hold while it is read, not after. */
export function parseYaml(text: string): { readonly value: unknown } | Denial {
  const tokens = readTokens(text);
  if (tokens === undefined) return tooDeep();
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: true,
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
  visit(document, { Alias: () => void aliases++ });
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
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > depthMax + 2) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < position; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

function firstLine(message: string): string {
  return message.split("\n")[0]!.replace(/:$/, "").slice(0, 200);
}
