import type { Argument, Command, Option } from "commander";
import { type NameSource, namesOf } from "../../completion-names.ts";
import { operandsOf, turnRound } from "../../grammar.ts";
import { nouns } from "../../nouns/index.ts";
import { formats } from "../../output/format.ts";
import { buildProgram, descend } from "../../program.ts";
import type { Session } from "../../session.ts";
import { commands } from "../index.ts";

/** Hidden: `tess __complete WORDS` is what the completion scripts call. */
export function define(): void {}

/** Prints what the last word may become, one candidate a line. Takes the words unparsed, and never fails. */
export async function pass(words: readonly string[], session: Session): Promise<number> {
  session.hurried = true;
  const found = await candidates(words, session).catch(() => []);
  await session.print(found.map((each) => `${each}\n`).join(""));
  return 0;
}

/** What the last of the words may become. */
export async function candidates(words: readonly string[], session: Session): Promise<string[]> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return [];
  const starting = (all: readonly string[]) => all.filter((each) => each.startsWith(last));
  const operands = operandsOf(before);
  if (operands.length === 0 && !last.startsWith("-") && !takesValue(before.at(-1))) {
    return starting(commands.filter(({ hidden }) => !hidden).flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  }
  const verb = before[operands[0] ?? 0] ?? "";
  if (
    ["get", "describe", "create", "edit", "delete"].includes(verb) &&
    operands.length === 1 &&
    !last.startsWith("-")
  ) {
    return starting(Object.keys(nouns));
  }
  const args = operands.length === 1 ? before : turnRound(before);
  const program = await buildProgram(args, session);
  const { command, rest } = descend(program, args);
  const option = optionNamed(command, before.at(-1) ?? "");
  if (option !== undefined && (option.required || option.optional)) {
    return starting(await valuesOf(option.attributeName(), option.argChoices, session));
  }
  if (last.startsWith("-"))
    return starting(optionsOf(command).flatMap(({ long }) => (long === undefined ? [] : [long])));
  const children = command.commands.filter((each) => each.name() !== "help").map((each) => each.name());
  if (children.length > 0) return starting(children);
  const argument = argumentAt(command.registeredArguments, rest);
  return argument === undefined ? [] : starting(await valuesOf(argument.name(), argument.argChoices, session));
}

function takesValue(word: string | undefined): boolean {
  return word === "-o" || word === "--output" || word === "-p" || word === "--project" || word === "--context";
}

function optionsOf(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : optionsOf(command.parent);
  return [...command.options, ...above].filter(({ hidden }) => !hidden);
}

function optionNamed(command: Command, word: string): Option | undefined {
  return optionsOf(command).find(({ short, long }) => word === short || word === long);
}

function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  return all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

const sourceOf: Readonly<Record<string, NameSource>> = {
  job: "jobs",
  after: "jobs",
  array: "jobs",
  node: "nodes",
  engine: "engines",
  pool: "pools",
  account: "accounts",
  quota: "accounts",
  project: "accounts",
  under: "accounts",
  tenant: "accounts",
};

async function valuesOf(
  name: string,
  choices: readonly string[] | undefined,
  session: Session,
): Promise<readonly string[]> {
  if (choices !== undefined) return choices;
  if (name === "output") return formats;
  if (name === "shell") return ["bash", "zsh", "fish"];
  const source = sourceOf[name];
  return source === undefined ? [] : namesOf(source, session);
}
