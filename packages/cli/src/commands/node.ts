import type { NodeShape } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../failure.ts";
import { examples } from "../help.ts";
import { blockersText, modeStyle, node } from "../nouns/node.ts";
import { emitList, emitObject } from "../output/emit.ts";
import { instantText, parseDurationMs } from "../output/time.ts";
import { confirm } from "../prompt.ts";
import type { Session } from "../session.ts";
import { printable } from "../terminal.ts";
import { eachOf } from "../verbs/each.ts";
import { addNounVerbs } from "../verbs/noun-command.ts";

interface NodeFlags {
  readonly reason?: string;
  readonly within?: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Looks at nodes and takes them in and out of service."), [
    "tess node get",
    "tess node drain n0 --within 2h",
  ]);
  addNounVerbs(command, node, session);

  const cordon = verb(command, "cordon", "take no new work; what runs goes on").option(
    "--reason <text>",
    "why, shown to everyone",
  );
  examples(cordon, ["tess node cordon n0 --reason 'fan noise'"]);
  cordon.action((names: string[], { reason }: NodeFlags) => {
    return each(session, names, (api, at) => api.call("cordonNode", { at, body: reasonOf(reason) }));
  });

  const drain = verb(
    command,
    "drain",
    "empty nodes: what runs may finish until the deadline, then is stopped and requeued",
  )
    .option("--within <duration>", "stop what is left after this long, such as 2h; without it, wait for ever")
    .option("--reason <text>", "why, shown to everyone");
  examples(drain, ["tess node drain n0 --within 2h --reason 'new driver'"]);
  drain.action(async (names: string[], { reason, within }: NodeFlags) => {
    if (within !== undefined && parseDurationMs(within) === undefined) {
      throw usageFailure(`--within must be a duration, got "${within}"`, "such as 30m or 2h");
    }
    await confirm(
      session,
      `Drain ${names.join(", ")}${within === undefined ? "" : `, stopping what is left after ${within}`}?`,
    );
    const body = { ...reasonOf(reason), ...(within !== undefined && { within }) };
    await each(session, names, (api, at) => api.call("drainNode", { at, body }));
  });

  const up = verb(command, "up", "take work again");
  examples(up, ["tess node up n0"]);
  up.action((names: string[]) => each(session, names, (api, at) => api.call("upNode", { at, body: {} })));

  const down = verb(command, "down", "declare nodes lost: you vouch that nothing runs there any more").option(
    "--reason <text>",
    "why, shown to everyone",
  );
  examples(down, ["tess node down n0 --reason 'power supply burnt'"]);
  down.action(async (names: string[], { reason }: NodeFlags) => {
    await confirm(session, `Declare ${names.join(", ")} lost? Jobs there start again elsewhere.`);
    await each(session, names, (api, at) => api.call("downNode", { at, body: reasonOf(reason) }));
  });
}

function verb(command: Command, name: string, does: string): Command {
  return command
    .command(name)
    .summary(does)
    .description(`${does[0]?.toUpperCase()}${does.slice(1)}.`)
    .argument("<node...>", "names");
}

function reasonOf(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

type Act = (api: Awaited<ReturnType<Session["api"]>>, at: { node: string }) => Promise<NodeShape>;

async function each(session: Session, names: readonly string[], act: Act): Promise<void> {
  const api = await session.api();
  await eachOf(
    session,
    names,
    (name) => act(api, { node: name }),
    (nodes) => show(session, nodes),
  );
}

async function show(session: Session, nodes: readonly NodeShape[]): Promise<void> {
  const text = (one: NodeShape) =>
    `${session.paint("bold", printable(one.name))} is ${session.paint(modeStyle(one.mode), one.mode)}${tail(one)}\n`;
  if (session.readable) for (const one of nodes) await session.print(text(one));
  else if (nodes.length === 1) await emitObject(session, nodes[0]!, nodes[0]!.name, text);
  else await emitList(session, { items: nodes }, node);
}

function tail(one: NodeShape): string {
  const until = one.drainUntil === undefined ? "" : ` until ${instantText(one.drainUntil)}`;
  return `${until}${printable(blockersText(one))}${one.reason === "" ? "" : ` (${printable(one.reason)})`}`;
}
