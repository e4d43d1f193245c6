import type { Command } from "commander";
import { serverProgram } from "../../config/paths.ts";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { runProgram } from "../../spawn.ts";

export function define(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: false })
    .description(
      "Checks and repairs the journal and the store of this machine's server, without going through the server:\n" +
        "verify (head file, chain, replay, projections), rebuild (projections), backup, backup-key (the key that seals\n" +
        "backups), restore, accept-loss (go on without rows that the store lost), postgres-setup (a role that cannot change\n" +
        "the journal), break-glass (a link that signs an owner in when nothing else does), journal tail, journal show.",
    )
    .usage(
      "verify | rebuild | backup FILE | backup-key show | backup-key export FILE | restore FILE | accept-loss | postgres-setup | break-glass | journal tail | journal show SEQ",
    );
  examples(command, [
    "tess admin verify",
    "tess admin verify -o json",
    "tess admin backup /mnt/tessera.backup",
    "tess admin backup-key export /safe/tessera-backup.key",
    "tess admin journal show 4711",
  ]);
}

/** Starts the administration program with the arguments as they were typed. */
export function pass(args: readonly string[], session: Session): Promise<number> {
  return runProgram(serverProgram("admin"), args, session.terminal);
}
