import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { runAtTerminal, runPiped } from "../../inside/exec.ts";
import { findMember } from "../../inside/member.ts";
import { shellLine } from "../../job/quote.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Runs a command inside a running job, with the job's user, limits, GPUs and environment, and ends with its exit code.\n" +
        "Standard input is passed on; output and errors stay apart. What it starts ends with it.",
    )
    .argument("<job>", "name or id; JOB.RANK for a member of a gang")
    .usage("[options] <job> -- command")
    .option("-t, --tty", "give it a terminal");
  examples(command, [
    "tess exec llama-ft -- nvidia-smi",
    "tess exec llama-ft.3 -- 'ls -l $TESS_CHECKPOINT'",
    "tess exec llama-ft -- tar c logs | tar x",
    "tess exec -t llama-ft -- htop",
  ]);
  command.action((name: string, flags: { readonly tty?: boolean }) => exec(session, name, flags));
}

async function exec(session: Session, name: string, flags: { readonly tty?: boolean }): Promise<void> {
  const words = session.afterDashes ?? [];
  if (words.length === 0) {
    throw usageFailure(
      "what should run in the job?",
      `put a command after --: tess exec ${name} -- nvidia-smi; for a shell: tess ssh ${name}`,
    );
  }
  const api = await session.api();
  const member = await findMember(api, name);
  const line = shellLine(words);
  session.exitCode = await (flags.tty ? runAtTerminal : runPiped)(session, api, member, line);
}
