import type { Command } from "commander";
import { readConfig, removeKept, writeConfig } from "../../config/file.ts";
import { configFolder } from "../../config/paths.ts";
import { configFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command.description(
    "Forgets the token and the server's key of the current context, or of the one named with --context.\n" +
      "To revoke the token as well: tess token revoke.",
  );
  examples(command, ["tess logout", "tess logout --context work"]);
  command.action(() => logout(session));
}

async function logout(session: Session): Promise<void> {
  const folder = configFolder(session.terminal.env);
  const config = await readConfig(folder);
  const name = session.options.context ?? config.current;
  const context = name === undefined ? undefined : config.contexts[name];
  if (name === undefined || context === undefined)
    throw configFailure("you are not logged in", "contexts: tess config get-contexts");
  const { token_file: token, certificate_file: certificate, ...rest } = context;
  for (const file of [token, certificate]) if (file !== undefined) removeKept(folder, file);
  config.contexts[name] = rest;
  await writeConfig(folder, config);
  await emitObject(
    session,
    { context: name, loggedIn: false },
    name,
    () => `Logged out of ${context.server ?? name}\n`,
  );
}
