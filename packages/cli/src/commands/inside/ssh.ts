import type { Command } from "commander";
import { examples } from "../../help.ts";
import { runAtTerminal } from "../../inside/exec.ts";
import { findMember } from "../../inside/member.ts";
import { shellLine } from "../../job/quote.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Opens a shell at a terminal inside a running job, with the job's user, limits, GPUs and environment.\n" +
        "Enter ~ . leaves when nothing answers. What was started there ends with the connection; the job goes on.",
    )
    .argument("<job>", "name or id; JOB.RANK for a member of a gang")
    .usage("[options] <job> [-- command]");
  examples(command, ["tess ssh llama-ft", "tess ssh llama-ft.3", "tess ssh llama-ft -- python3"]);
  command.action(async (name: string) => {
    const api = await session.api();
    const member = await findMember(api, name);
    const words = session.afterDashes ?? [];
    const line = words.length === 0 ? undefined : shellLine(words);
    session.exitCode = await runAtTerminal(session, api, member, line);
  });
}
