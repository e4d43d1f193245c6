import { setTimeout as sleep } from "node:timers/promises";
import type { CheckShape, NodeHealthShape } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { findJob } from "../../job/find.ts";
import { modeStyle } from "../../nouns/node.ts";
import { emitObject } from "../../output/emit.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { type Paint, printable, type Style } from "../../terminal.ts";

const lookEveryMs = 1_000;
const resultStyles: Readonly<Record<CheckShape["result"], Style>> = {
  passed: "green",
  failed: "red",
  skipped: "yellow",
  ended: "yellow",
};

interface CheckFlags {
  readonly check?: string[];
  readonly job?: string;
  readonly wait: boolean;
}

/** `tess node health` and `tess node check`. */
export function defineHealth(command: Command, session: Session): void {
  const health = command
    .command("health")
    .summary("show what was found of a node, and how its checks went")
    .description("Shows what was found of a node and its GPUs, what followed from it, and how its last checks went.")
    .argument("<node>", "name");
  examples(health, ["tess node health n0", "tess node health n0 -o json"]);
  health.action(async (name: string) => {
    await show(session, await (await session.api()).call("readNodeHealth", { at: { node: name } }));
  });

  const check = command
    .command("check")
    .summary("check the GPUs of a node that no job holds, or those of your job")
    .description(
      "Checks GPUs: memory patterns, copy bandwidth, matrix products, all-reduce, and what the owner added.\n" +
        "A node that fails is taken out of use, and one that waits for it takes work again when it passes.\n" +
        "With --job it checks the GPUs that your running job holds.",
    )
    .argument("[node]", "name")
    .option("--check <name...>", "only these checks")
    .option("--job <job>", "the GPUs that this job holds, instead of a node")
    .option("--no-wait", "begin, and do not wait for the results");
  examples(check, [
    "tess node check n0",
    "tess node check n0 --check memory-pattern copy-bandwidth",
    "tess node check --job llama-ft",
  ]);
  check.action((name: string | undefined, flags: CheckFlags) => runChecks(session, name, flags));
}

async function runChecks(session: Session, name: string | undefined, flags: CheckFlags): Promise<void> {
  if ((name === undefined) === (flags.job === undefined))
    throw usageFailure("name a node, or a job with --job", "such as tess node check n0");
  const api = await session.api();
  const nodes = name === undefined ? await beginOnJob(api, flags) : await beginOnNode(api, name, flags);
  for (const node of nodes) {
    const health = flags.wait ? await settled(api, node) : await api.call("readNodeHealth", { at: { node } });
    if (flags.wait && health.checks.some(({ result }) => result === "failed")) session.exitCode = 1;
    await show(session, health);
  }
}

async function beginOnNode(api: Api, node: string, { check }: CheckFlags): Promise<readonly string[]> {
  await api.call("checkNode", { at: { node }, body: check === undefined ? {} : { checks: check } });
  return [node];
}

async function beginOnJob(api: Api, { job = "", check }: CheckFlags): Promise<readonly string[]> {
  if (check !== undefined) throw usageFailure("--check needs a node", "with --job all checks run");
  const { id } = await findJob(api, job);
  return (await api.call("checkJob", { at: { job: id }, body: {} })).nodes;
}

async function settled(api: Api, node: string): Promise<NodeHealthShape> {
  for (;;) {
    const health = await api.call("readNodeHealth", { at: { node } });
    if (!health.checking) return health;
    await sleep(lookEveryMs);
  }
}

async function show(session: Session, health: NodeHealthShape): Promise<void> {
  await emitObject(session, health, health.node, (shown) => textOf(shown, session.paint));
}

function textOf(health: NodeHealthShape, paint: Paint): string {
  const { node, mode, reason, faults, repair, checked, checking } = health;
  const why = reason === "" ? "" : `  ${printable(reason)}`;
  const lines = [`${paint("bold", printable(node))}  ${paint(modeStyle(mode), mode)}${why}`];
  if (repair !== undefined) lines.push(`  Repair ${repair} is open: tess repairs`);
  if (faults > 0) lines.push(`  Taken out of use ${faults === 1 ? "once" : `${faults} times`} within seven days`);
  if (checking) lines.push("  Checks run now");
  if (checked !== undefined) lines.push(`  Checked ${instantText(checked)}:`);
  for (const each of health.checks) lines.push(`    ${checkText(each, paint)}`);
  lines.push(health.findings.length === 0 ? "  Nothing was found" : "  Found:");
  for (const { name, action, means, gpu, count, last, text } of health.findings) {
    const where = gpu === undefined ? "" : ` on ${gpu}`;
    const often = count === 1 ? "" : `, ${count} times`;
    lines.push(`    ${instantText(last)}  ${name}${where}  ${action}: ${means}${often}`);
    if (text !== undefined && text !== "") lines.push(`      ${printable(text)}`);
  }
  return `${lines.join("\n")}\n`;
}

function checkText({ name, gpu, result, measured, expected, text }: CheckShape, paint: Paint): string {
  const rate = [measured, expected].filter((each) => each !== undefined).join("; ");
  const said = rate === "" ? text : `${rate} (${text})`;
  return `${paint(resultStyles[result], result.padEnd(7))}  ${printable(name)}${gpu === undefined ? "" : ` on ${gpu}`}: ${printable(said)}`;
}
