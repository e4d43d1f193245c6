import type { QueryOf, RepairShape } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { type Filters, loadFromList, type Noun } from "../../nouns/noun.ts";
import { emitObject } from "../../output/emit.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { addListFlags, type ListFlags, runList } from "../../verbs/list.ts";

const list: Omit<Noun<RepairShape>, "load"> = {
  name: "repair",
  plural: "repairs",
  list: "listRepairs",
  nameOf: ({ id }) => String(id),
  keyOf: ({ id }) => String(id),
  examples: ["tess repairs", "tess repairs --node n0 --all", "tess repairs -o json"],
  columns: [
    { name: "id", text: ({ id }) => String(id), raw: ({ id }) => id, right: true },
    { name: "node", text: ({ node }) => node },
    { name: "opened", text: ({ opened }) => instantText(opened), raw: ({ opened }) => opened },
    { name: "cause", text: ({ cause }) => cause },
    { name: "action", text: ({ action }) => action },
    { name: "step", text: ({ step, flapping }) => (flapping ? `${step}; it failed often: close it by hand` : step) },
    { name: "gpu", text: ({ gpu }) => gpu ?? "", wide: true, hidesEmpty: true },
    { name: "evidence", text: ({ evidence }) => evidence.map(({ text }) => text).join(" | "), shrinks: true },
    {
      name: "closed",
      text: ({ closed, closedWhy }) => (closed === undefined ? "" : `${instantText(closed)}: ${closedWhy ?? ""}`),
      hidesEmpty: true,
    },
  ],
  addFilters(command) {
    command.option("--node <node>", "only repairs of this node").option("--all", "closed ones too");
  },
  queryOf: async ({ node, all }) => {
    const state: NonNullable<QueryOf<"listRepairs">["state"]> = all ? "all" : "open";
    return { state, ...(node !== undefined && { node }) };
  },
  page: (api, query) => api.call("listRepairs", { query }),
};
const repair: Noun<RepairShape> = { ...list, load: loadFromList(list, ({ id }, name) => String(id) === name) };

export function define(command: Command, session: Session): void {
  command.description(
    "Shows nodes that are out of use because of a fault: what was found, and what has to be done. A repair is closed by\n" +
      "checks that pass (tess node check), or by your word (tess repairs close).",
  );
  addListFlags(command);
  list.addFilters?.(command);
  examples(command, repair.examples);
  command.action((flags: ListFlags & Filters) => runList(session, repair, [], flags));

  const close = command
    .command("close")
    .summary("say that a node is well; it takes work again")
    .description("Says that a node is well, also where no check can say so. It takes work again.")
    .argument("<repair>", "number")
    .requiredOption("--reason <text>", "what was done");
  examples(close, ["tess repairs close 7 --reason 'riser changed'"]);
  close.action(async (id: string, { reason }: { readonly reason: string }) => {
    if (!/^\d{1,9}$/.test(id)) throw usageFailure(`"${id}" is not the number of a repair`, "see: tess repairs");
    const closed = await (await session.api()).call("closeRepair", { at: { repair: id }, body: { reason } });
    await emitObject(session, closed, id, ({ node }) => `repair ${id} of ${printable(node)} is closed\n`);
  });
}
