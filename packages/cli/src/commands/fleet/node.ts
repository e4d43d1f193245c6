import type { BodyOf, NodeShape } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { blockersText, modeStyle, node } from "../../nouns/node.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { instantText } from "../../output/time.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { eachOf } from "../../verbs/each.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { defineHealth } from "./node-health.ts";

interface NodeFlags {
  readonly reason?: string;
  readonly within?: string;
  readonly from?: string;
  readonly to?: string;
  readonly tz?: string;
  readonly cancel?: boolean;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows nodes and takes them in and out of service."), [
    "tess node get",
    "tess node drain n0 --within 2h",
  ]);
  addNounVerbs(command, node, session);
  defineHealth(command, session);

  const cordon = verb(command, "cordon", "take no new work; running jobs continue").option(
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
    .option(
      "--within <duration>",
      "stop jobs that still run after this time, such as 2h; without it, wait until they end",
    )
    .option("--reason <text>", "why, shown to everyone");
  examples(drain, ["tess node drain n0 --within 2h --reason 'new driver'"]);
  drain.action(async (names: string[], { reason, within }: NodeFlags) => {
    if (within !== undefined && readDuration(within) === undefined) {
      throw usageFailure(`--within must be a duration, got "${within}"`, "such as 30m or 2h");
    }
    await confirm(
      session,
      `Drain ${names.join(", ")}${within === undefined ? "" : `, and stop jobs that still run after ${within}`}?`,
    );
    const body = { ...reasonOf(reason), ...(within !== undefined && { within }) };
    await each(session, names, (api, at) => api.call("drainNode", { at, body }));
  });

  const maintenance = verb(
    command,
    "maintenance",
    "plan maintenance of nodes; jobs that would not end before it start elsewhere",
  )
    .option("--from <time>", "such as 2026-12-01T08:00; default: now")
    .option("--to <time>", "when they take work again")
    .option("--tz <zone>", "of times without an offset, such as Europe/Berlin; default: yours")
    .option("--reason <text>", "why, shown to everyone")
    .option("--cancel", "cancel the planned windows, and end the present one");
  examples(maintenance, [
    "tess node maintenance n0 n1 --from 2026-12-01T08:00 --to 2026-12-01T12:00 --reason 'new driver'",
    "tess node maintenance n0 --cancel",
  ]);
  maintenance.action(async (names: string[], flags: NodeFlags) => {
    const body = maintenanceOf(flags, session.now());
    await each(session, names, (api, at) => api.call("maintainNode", { at, body }));
  });

  const up = verb(command, "up", "take work again");
  examples(up, ["tess node up n0"]);
  up.action((names: string[]) => each(session, names, (api, at) => api.call("upNode", { at, body: {} })));

  const down = verb(command, "down", "declare nodes lost: you confirm that nothing runs there any more").option(
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
    .argument("<node...>", "names; ENGINE/NAME where several engines have one of that name");
}

function maintenanceOf({ from, to, tz, reason, cancel }: NodeFlags, now: number): BodyOf<"maintainNode"> {
  if (cancel) {
    if (from === undefined && to === undefined) return { cancel: true };
    throw usageFailure("--cancel removes all windows", "leave --from and --to out");
  }
  if (to === undefined) throw usageFailure("--to is missing", "give the end, such as --to 2026-12-01T12:00");
  const zone = tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { from: from ?? new Date(now).toISOString(), to, tz: zone, ...reasonOf(reason) };
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
  const next = one.maintenance?.[0];
  const planned =
    next === undefined
      ? ""
      : `, ${next.state === "active" ? "" : `from ${instantText(next.from)} `}until ${instantText(next.to)} in maintenance`;
  const until = one.drainUntil === undefined ? "" : ` until ${instantText(one.drainUntil)}`;
  return `${until}${planned}${printable(blockersText(one))}${one.reason === "" ? "" : ` (${printable(one.reason)})`}`;
}
