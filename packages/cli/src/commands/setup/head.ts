import type { Command } from "commander";
import { forget, recall } from "../../heads/memory.ts";
import { examples } from "../../help.ts";
import { emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";

/** What this machine remembers of a server's history. */
export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and forgets the head of a server's history that this machine remembers. Every command compares it with " +
        "the head that the server shows, and warns where the history was changed. See docs/verify.md.",
    ),
    ["tess head show", "tess head forget"],
  );

  const show = command
    .command("show")
    .summary("show the remembered head and key")
    .description("Shows the newest head that is known to continue all before, and the signing key that is believed.");
  examples(show, ["tess head show", "tess head show -o json"]);
  show.action(async () => {
    const { name } = await session.place();
    const known = recall(session.terminal.env, name);
    const value = { place: name, head: known?.checked ?? null, key: known?.key ?? null };
    await emitObject(session, value, value.head ?? "", ({ head, key }) =>
      head === null ? `nothing is remembered of ${name} yet\n` : `${head}\nkey ${key}\n`,
    );
  });

  const drop = command
    .command("forget")
    .summary("believe the server again after its history was changed")
    .description("Forgets head and key. The next command believes what the server shows then.");
  examples(drop, ["tess head forget"]);
  drop.action(async () => {
    const { name } = await session.place();
    forget(session.terminal.env, name);
    if (session.readable) await session.print(`the history of ${name} is believed as it is shown next\n`);
  });
}
