import type { Command } from "commander";
import type { Settings } from "../../config/resolve.ts";
import { examples } from "../../help.ts";
import { bindingText } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import { fieldsText } from "../../output/fields.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command.description("Shows which user you are, what you may do, and to which account your jobs go.");
  examples(command, ["tess whoami", "tess whoami -o json"]);
  command.action(() => whoami(session));
}

async function whoami(session: Session): Promise<void> {
  const api = await session.api();
  const settings = await session.settings();
  const { certificate } = settings.locate();
  const key = certificate === undefined ? undefined : (await import("../../tls.ts")).fingerprintOf(certificate);
  await emitObject(session, await api.call("whoAmI"), "whoami", (me) => {
    const { paint } = session;
    return fieldsText(
      [
        ["User", `${me.name} (${me.user})`],
        ["Roles", me.bindings.map(bindingText).join(", ")],
        ["Scopes", me.scopes.length === 0 ? "all" : me.scopes.join(", ")],
        ["Project", settings.project ?? me.defaultProject],
        ["Server", `${api.server} (from ${sourceText(settings)})`],
        ["Key", key],
      ],
      paint,
    );
  });
}

function sourceText({ serverFrom, context, data }: Settings): string {
  if (serverFrom === "context") return `context ${context}`;
  return serverFrom === "data" ? `the data folder ${data}` : `the ${serverFrom}`;
}
