import type { Command } from "commander";
import { simulatorProgram } from "../config/paths.ts";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";
import { runProgram } from "../spawn.ts";

export function define(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: false })
    .description(
      "Replays this machine's journal under another quota, policy or fleet, beside an unchanged replay: " +
        "who would have waited, been preempted or lost work. Reads the store beside the server and changes nothing.",
    )
    .usage("[--data DIR] [--from 7d] [--set QUOTA] [--policy KEY=VALUE] [--nodes 4x8:H100] [-o table|json|html]");
  examples(command, [
    "tess what-if --from 7d --set quota.research/nlp.guarantee.H100=512",
    "tess what-if --policy rebalance=off -o json",
    "tess what-if --nodes 4x8:H100 -o html > what-if.html",
  ]);
}

/** Starts the simulator with the arguments as they were typed. */
export function pass(args: readonly string[], session: Session): Promise<number> {
  return runProgram(simulatorProgram(), ["what-if", ...args], session.terminal);
}
