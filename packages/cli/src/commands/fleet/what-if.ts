import type { Command } from "commander";
import { whatIfProgram } from "../../config/paths.ts";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { runProgram } from "../../spawn.ts";

export function define(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: false })
    .description(
      "Replays this machine's journal under another quota, policy or fleet, beside an unchanged replay: " +
        "who would have waited, been preempted, lost work or paid how much. Reads the store beside the server and changes nothing.",
    )
    .option("--data <folder>", "the server's folder; the clone's own when left out")
    .option("--database <url>", "the server's PostgreSQL")
    .option("--sacct <file>", "the accounting of a Slurm cluster instead, with the --fleet it was of")
    .option("--fleet <nodesxgpus>", "such as 16x8")
    .option("--from <time>", "how long before the newest entry, or an instant (default: 7d)")
    .option("--set <quota>", "another quota, such as quota.lab.guarantee.H100=512; can be repeated")
    .option("--policy <key=value>", "another policy, such as rebalance=off; can be repeated")
    .option("--nodes <group>", "more nodes, such as 4x8:H100, or with =-4x8:H100 fewer; can be repeated")
    .option("--hard-quotas", "each account only its own guarantee, nothing lent: what sharing saved")
    .option("-o, --output <format>", "table, json or html");
  examples(command, [
    "tess what-if --from 7d --set quota.research/nlp.guarantee.H100=512",
    "tess what-if --policy rebalance=off -o json",
    "tess what-if --hard-quotas --from 2026-11-01T00:00:00Z",
    "tess what-if --nodes 4x8:H100 -o html > what-if.html",
  ]);
}

/** Starts the program with the arguments as they were typed. */
export function pass(args: readonly string[], session: Session): Promise<number> {
  return runProgram(whatIfProgram(), args, session.terminal);
}
