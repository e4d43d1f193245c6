import type { Alarm } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { type Filters, loadFromList, type Noun } from "../../nouns/noun.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { addListFlags, type ListFlags, runList } from "../../verbs/list.ts";

const list: Omit<Noun<Alarm>, "load"> = {
  name: "alarm",
  plural: "alarms",
  list: "listAlarms",
  nameOf: ({ kind }) => kind,
  keyOf: ({ kind }) => kind,
  examples: ["tess alarms", "tess alarms -o json"],
  columns: [
    { name: "kind", text: ({ kind }) => kind, style: () => "red" },
    { name: "since", text: ({ since }) => instantText(since), raw: ({ since }) => since },
    { name: "text", text: ({ text }) => text },
  ],
  queryOf: async () => ({}),
  page: (api) => api.call("listAlarms"),
};
const alarm: Noun<Alarm> = { ...list, load: loadFromList(list, ({ kind }, name) => kind === name) };

export function define(command: Command, session: Session): void {
  command.description(
    "Shows what is wrong with the machine of the control plane now: its clock was set, its disk is full,\n" +
      "or a system that the audit is sent to does not take it; and GPUs that are busy without a lease.",
  );
  addListFlags(command);
  examples(command, alarm.examples);
  command.action((flags: ListFlags & Filters) => runList(session, alarm, [], flags));
}
