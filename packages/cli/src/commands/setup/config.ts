import { nearestName } from "@tessera/wire/nearest";
import type { Command } from "commander";
import {
  type Config,
  type Context,
  type ContextKey,
  checkContextName,
  contextKeys,
  readConfig,
  writeConfig,
} from "../../config/file.ts";
import { configFolder } from "../../config/paths.ts";
import { checkAddress } from "../../config/resolve.ts";
import { writeYaml } from "../../config/yaml.ts";
import { configFailure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { emitList, emitObject, type ListOptions } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { addListFlags } from "../../verbs/list.ts";

interface NamedContext extends Context {
  readonly name: string;
  readonly current: boolean;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes the contexts: server, user and project."), [
    "tess config get-contexts",
    "tess config set project lab/vision",
  ]);

  const list = command
    .command("get-contexts")
    .summary("list the contexts")
    .description("Lists the contexts; * marks the current one.");
  addListFlags(list);
  examples(list, ["tess config get-contexts"]);
  list.action((flags: ListOptions) => listContexts(session, flags));

  const use = command
    .command("use-context")
    .summary("make a context the current one")
    .description("Makes a context the current one.")
    .argument("<context>", "name");
  examples(use, ["tess config use-context work"]);
  use.action(async (name: string) => {
    const config = await load(session);
    if (config.contexts[name] === undefined) throw unknownContext(config, name);
    await save(session, { ...config, current: name });
    await emitObject(session, { current: name }, name, () => `Current context: ${session.paint("bold", name)}\n`);
  });

  const set = command
    .command("set")
    .summary("set server, tenant or project of a context")
    .description(
      "Sets server, tenant or project of the current context, or of the one named with --context; none removes it.",
    )
    .argument("<key>", contextKeys.join(", "))
    .argument("<value>", "new value, or none");
  examples(set, [
    "tess config set project lab/vision",
    "tess config set server https://tessera.example.org --context work",
  ]);
  set.action((key: string, value: string) => setValue(session, key, value));

  const view = command
    .command("view")
    .summary("show the configuration")
    .description("Shows the configuration. Tokens are in files of their own and are never shown.")
    .option("--redact", "also hide addresses and accounts, to paste it into a report");
  examples(view, ["tess config view", "tess config view --redact -o json"]);
  view.action((flags: { redact?: boolean }) => viewConfig(session, flags.redact === true));
}

async function listContexts(session: Session, flags: ListOptions): Promise<void> {
  const { current, contexts } = await load(session);
  const items = Object.entries(contexts).map(
    ([name, context]): NamedContext => ({ name, current: name === current, ...context }),
  );
  await emitList(
    session,
    { items },
    {
      nameOf: ({ name }) => name,
      columns: [
        { name: "current", text: (each) => (each.current ? "*" : "") },
        { name: "name", text: ({ name }) => name },
        { name: "server", text: ({ server }) => server ?? "(this clone)" },
        { name: "tenant", text: ({ tenant }) => tenant ?? "" },
        { name: "project", text: ({ project }) => project ?? "" },
        { name: "token", text: ({ token_file: file }) => (file === undefined ? "none" : "kept") },
      ],
    },
    flags,
  );
  if (items.length === 0 && session.readable) await session.note("No contexts; tess login makes one.");
}

async function setValue(session: Session, key: string, value: string): Promise<void> {
  if (!contextKeys.includes(key as ContextKey)) {
    const close = nearestName(key, contextKeys);
    throw usageFailure(
      `there is no setting "${key}"`,
      `${close === undefined ? "" : `did you mean ${close}? `}Settings: ${contextKeys.join(", ")}`,
    );
  }
  if (key === "server" && value !== "none") checkAddress(value);
  const config = await load(session);
  const name = checkContextName(session.options.context ?? config.current ?? "default");
  const { [key as ContextKey]: _before, ...others } = config.contexts[name] ?? {};
  // A token and a key belong to the server they were made for.
  if (key === "server") {
    delete others.token_file;
    delete others.certificate_file;
  }
  const context = value === "none" ? others : { ...others, [key]: value };
  await save(session, { current: config.current ?? name, contexts: { ...config.contexts, [name]: context } });
  await emitObject(
    session,
    { name, ...context },
    name,
    () => `${key} of context ${session.paint("bold", name)}: ${value}\n`,
  );
}

async function viewConfig(session: Session, redact: boolean): Promise<void> {
  const config = await load(session);
  const shown = redact ? redacted(config) : config;
  const text = await writeYaml(shown);
  await emitObject(session, shown, config.current ?? "", () => text);
}

function redacted({ current, contexts }: Config): Config {
  const names = Object.keys(contexts);
  const nameOf = (name: string) => `context-${names.indexOf(name) + 1}`;
  const hidden = Object.entries(contexts).map(([name, context]) => [
    nameOf(name),
    Object.fromEntries(Object.keys(context).map((key) => [key, "REDACTED"])),
  ]);
  return { ...(current !== undefined && { current: nameOf(current) }), contexts: Object.fromEntries(hidden) };
}

function load({ terminal }: Session): Promise<Config> {
  return readConfig(configFolder(terminal.env));
}

function save({ terminal }: Session, config: Config): Promise<void> {
  return writeConfig(configFolder(terminal.env), config);
}

function unknownContext({ contexts }: Config, name: string): Error {
  const close = nearestName(name, Object.keys(contexts));
  return configFailure(
    `there is no context "${name}"`,
    close === undefined ? "tess config get-contexts lists them" : `did you mean ${close}?`,
  );
}
