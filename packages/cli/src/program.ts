import { nearestName } from "@tessera/wire/nearest";
import { Command, CommanderError, Option } from "commander";
import { type CommandEntry, commandNamed, commands } from "./commands/index.ts";
import { hintForCommand, maySuggest, translateCommand } from "./elsewhere/commands.ts";
import { hintForOption, ourOption, translateOptions } from "./elsewhere/options.ts";
import { exit } from "./exit.ts";
import { Failure, usageFailure } from "./failure.ts";
import { operandsOf, turnRound } from "./grammar.ts";
import { asksForJson, formats } from "./output/format.ts";
import { type GlobalOptions, Session } from "./session.ts";
import { painterOf, type Terminal } from "./terminal.ts";

/** Carries out one command line; answers the exit code. */
export async function tess(argv: readonly string[], terminal: Terminal): Promise<number> {
  const dashes = argv.indexOf("--");
  const session = new Session(terminal, dashes < 0 ? undefined : argv.slice(dashes + 1));
  try {
    const own = turnRound(translateCommand(dashes < 0 ? argv : argv.slice(0, dashes)));
    const passed = await passOn(argv, session);
    if (passed !== undefined) return passed;
    const program = await buildProgram(own, session);
    if (own.length === 0) program.outputHelp();
    else await program.parseAsync(translated(program, own), { from: "user" });
    return session.exitCode;
  } catch (error) {
    return await report(error, terminal, asksForJson(argv));
  } finally {
    await session.compareVersions();
    await session.warnOfExpiry();
    await session.compareHeads();
  }
}

function translated(program: Command, args: readonly string[]): string[] {
  return [...translateOptions(args, optionNames(descend(program, args).command))];
}

const unparsed: readonly (string | undefined)[] = ["server", "helper", "admin", "what-if", "__complete"];

/** Hands what is not ours to parse to the command with the arguments as they were typed. */
async function passOn(argv: readonly string[], session: Session): Promise<number | undefined> {
  const entry = unparsed.includes(argv[0]) ? commandNamed(argv[0] ?? "") : undefined;
  const { pass } = (await entry?.load()) ?? {};
  const args = argv.slice(1);
  if (entry === undefined || pass === undefined) return undefined;
  if (!entry.hidden && (args.includes("--help") || args.includes("-h"))) {
    const program = await buildProgram([entry.name], session);
    program.commands.find((each) => each.name() === entry.name)?.outputHelp();
    await session.print("\n");
  }
  return pass(args, session);
}

/** The program with every command named and the one that is asked for defined. */
export async function buildProgram(args: readonly string[], session: Session): Promise<Command> {
  const program = new Command("tess");
  program
    .description("Share one fleet of GPUs: run jobs, see why they wait, and what was used.")
    .usage("<command> [flags] [-- command]")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void session.print(text),
      writeErr: (text) => void session.terminal.stderr.write(text),
      outputError: () => {}, // reported with every other failure
    })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .helpCommand("help [command]", "show help for a command")
    .hook("preAction", (_program, command) => begin(session, command));
  addGlobalOptions(program);
  const words = operandsOf(args).map((index) => args[index]!);
  const asked = commandNamed(words[0] === "help" ? (words[1] ?? "") : (words[0] ?? ""));
  if (words[0] === "help" && words[1] !== undefined && asked === undefined) throw unknownCommand(words[1]);
  for (const entry of commands) await addCommand(program, entry, entry === asked, session);
  program.addHelpText(
    "after",
    "\nExamples:\n  tess run --gpus H100:8 -- torchrun train.py\n  tess ps -A\n  tess explain llama-ft\n  tess gpus",
  );
  return program;
}

/** The innermost command that the words name, and how many operands it already has. */
export function descend(program: Command, args: readonly string[]): { command: Command; rest: number } {
  let command = program;
  let rest = 0;
  for (const index of operandsOf(args)) {
    const next = command.commands.find((each) => each.name() === args[index] || each.aliases().includes(args[index]!));
    if (next === undefined) rest += 1;
    else command = next;
  }
  return { command, rest };
}

/** Every spelling of the options that a command takes, with those of the commands around it. */
function optionNames(command: Command): ReadonlySet<string> {
  const above = command.parent === null ? [] : [...optionNames(command.parent)];
  return new Set([...command.options.flatMap(({ short, long }) => [short ?? "", long ?? ""]), ...above]);
}

function unknownCommand(word: string): Failure {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = nearestName(
    word,
    names.filter((name) => maySuggest(word, name)),
  );
  return usageFailure(`unknown command '${word}'`, commandHint(word, near === undefined ? [] : [near]));
}

async function addCommand(program: Command, entry: CommandEntry, asked: boolean, session: Session): Promise<void> {
  const command = program
    .command(entry.name, { hidden: entry.hidden === true })
    .summary(entry.summary)
    .helpGroup(entry.group);
  if (entry.aliases !== undefined) command.aliases(entry.aliases);
  if (!asked) return;
  const { define } = await entry.load();
  await define(command, session);
}

function addGlobalOptions(program: Command): void {
  program
    .option("-V, --version", "show the version")
    .addOption(new Option("-o, --output <format>", formats.join(", ")))
    .option("--json", "the same as -o json")
    .option("-p, --project <account>", "project to work in, such as lab/vision")
    .option("--context <name>", "context to use instead of the current one")
    .option("--server <url>", "server to talk to")
    .option("--data <folder>", "find the server by its data folder, as npm start -- --data has it")
    .option("--token <token>", "token to send to it")
    .option("--token-file <file>", "file that holds the token")
    .option("--no-browser", "print addresses instead of opening a browser")
    .option("-y, --yes", "do not ask for confirmation")
    .on("option:version", () => {
      throw new CommanderError(0, "tess.version", "");
    });
}

const takesCommand: ReadonlySet<string> = new Set(["run", "apply", "exec", "ssh", "shell"]);

function begin(session: Session, command: Command): void {
  session.begin(globalsOf(command));
  if (session.afterDashes !== undefined && !takesCommand.has(command.name())) {
    throw usageFailure(`tess ${command.name()} takes no command after --`, "run and exec do: tess run -- nvidia-smi");
  }
}

/** The options that every command takes; one that the command has itself, such as `engine create --context`, is its own. */
function globalsOf(command: Command): GlobalOptions {
  const own = new Set(command.options.map((option) => option.attributeName()));
  const all = Object.entries(command.optsWithGlobals());
  return Object.fromEntries(all.filter(([name]) => !own.has(name)));
}

/** Tells what went wrong on stderr; answers the exit code. */
async function report(error: unknown, terminal: Terminal, json: boolean): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.code === "tess.version") {
      const { versionOfPackage } = await import("./version.ts");
      await terminal.stdout.write(`${versionOfPackage()}\n`);
      return exit.ok;
    }
    if (error.exitCode === 0 || error.code === "commander.help") return exit.ok;
    return report(usageOf(error), terminal, json);
  }
  if (!(error instanceof Failure)) {
    await terminal.stderr.write(
      `tess: this is a bug in tess\n${error instanceof Error ? error.stack : String(error)}\n`,
    );
    return 70;
  }
  if (json) {
    const { code, message, hint = null, requestId = null, mistakes, more } = error;
    const problems = mistakes.length === 0 ? {} : { problems: mistakes };
    await terminal.stderr.write(
      `${JSON.stringify({ error: { code, message, hint, requestId, ...problems, ...more } })}\n`,
    );
  } else {
    const { failureText } = await import("./output/failure.ts");
    await terminal.stderr.write(failureText(error, painterOf(terminal.stderr, terminal.env)));
  }
  return error.exitCode;
}

function commandHint(word: string, near: readonly string[]): string {
  return (
    hintForCommand(word) ?? suggestion(near.filter((name) => maySuggest(word, name))) ?? "tess help lists all commands"
  );
}

function optionHint(option: string, near: readonly string[]): string | undefined {
  const here = ourOption(option);
  return hintForOption(option) ?? (here === undefined ? suggestion(near) : `it is ${here} on tess run`);
}

function suggestion([first, ...others]: readonly string[]): string | undefined {
  return first === undefined ? undefined : `did you mean ${[first, ...others].join(" or ")}?`;
}

/** commander puts its suggestions on a second line; they become our hint. */
function usageOf(error: CommanderError): Failure {
  const [message = "", suggested = ""] = error.message.replace(/^error: /, "").split("\n");
  const near = /\(Did you mean (?:one of )?(.+)\?\)/.exec(suggested)?.[1]?.split(", ") ?? [];
  const [, kind, word = ""] = /^unknown (command|option) '([^']+)'/.exec(message) ?? [];
  if (kind === "command") return usageFailure(message, commandHint(word, near));
  if (kind === "option") return usageFailure(message, optionHint(word.split("=")[0]!, near));
  return usageFailure(message);
}
