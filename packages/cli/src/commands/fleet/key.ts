import type { AnswerOf } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import type { Column } from "../../output/column.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { addListFlags, type ListFlags } from "../../verbs/list.ts";

type DataKey = AnswerOf<"listDataKeys">["items"][number];

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and rotates the data keys that seal secrets, logs, code and outputs, one for each tenant and one for the " +
        "platform. Master key, shredding and the key of an encrypted journal: tess admin key, tess admin journal.",
    ),
    ["tess key get", "tess key rotate --account lab", "tess key rotate"],
  );

  const get = command
    .command("get")
    .summary("list data keys, and which of them seal")
    .description("Lists data keys. The newest of each owner seals; older ones open, and go when nothing needs them.");
  addListFlags(get);
  examples(get, ["tess key get", "tess key get -o json"]);
  get.action(async (flags: ListFlags) => {
    const page = await (await session.api()).call("listDataKeys");
    await emitList(session, page, { columns, nameOf: ({ id }) => id }, flags);
  });

  const rotate = command
    .command("rotate")
    .summary("make a new data key, and have older ones destroyed")
    .description(
      "Makes a new data key for a tenant, or for the platform. It seals at once; the server has it take over what older " +
        "ones sealed, while everything goes on, and then destroys them.",
    )
    .option("--account <path>", "a tenant; without it the key of the platform");
  examples(rotate, ["tess key rotate --account lab", "tess key rotate"]);
  rotate.action(async ({ account }: { readonly account?: string }) => {
    const body = account === undefined ? {} : { account };
    const made = await (await session.api()).call("rotateDataKey", { body });
    await emitObject(session, made, made.id, (key) => {
      const seals = `${session.paint("bold", ownerOf(key))} seals with ${key.id}, version ${key.version}, from now on`;
      return `${seals}\nOlder keys are destroyed when nothing needs them: tess key get\n`;
    });
  });
}

function ownerOf({ account }: DataKey): string {
  return account ?? "the platform";
}

const columns: readonly Column<DataKey>[] = [
  { name: "id", text: ({ id }) => id },
  { name: "of", text: ownerOf, shrinks: true },
  { name: "version", text: ({ version }) => String(version), right: true },
  { name: "made", text: ({ madeAt }) => madeAt },
  { name: "state", text: ({ seals }) => (seals ? "seals" : "opens; goes when nothing needs it") },
];
