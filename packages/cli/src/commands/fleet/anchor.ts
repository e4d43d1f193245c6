import { resolve } from "node:path";
import type { AnswerOf, BodyOf } from "@tessera/wire";
import { Argument, type Command } from "commander";
import { readTokenFile } from "../../config/resolve.ts";
import { examples } from "../../help.ts";
import type { Column } from "../../output/column.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { addListFlags, type ListFlags } from "../../verbs/list.ts";

type Anchor = AnswerOf<"listAnchors">["items"][number];
type Witnessed = AnswerOf<"listWitnessed">["items"][number];

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Keeps signed heads of the journal outside the server, so that nobody can rewrite its history unnoticed. See docs/verify.md.",
    ),
    ["tess anchor list", "tess anchor add folder /mnt/other/heads", "tess anchor remove anc_…"],
  );

  const list = command
    .command("list")
    .summary("list anchors and how far each has come")
    .description("Lists anchors, with the newest head that each holds and what failed.");
  addListFlags(list);
  examples(list, ["tess anchor list", "tess anchor list -o json"]);
  list.action(async (flags: ListFlags) => {
    const page = await (await session.api()).call("listAnchors");
    await emitList(session, page, { columns: anchorColumns, nameOf: ({ id }) => id }, flags);
  });

  const add = command
    .command("add")
    .summary("keep heads in a folder, at an address or in another Tessera")
    .description(
      "Writes each new signed head there from now on, within seconds. A folder is one of the server's machine, best on " +
        "another machine's mount; an http address gets a POST of one line; another Tessera needs a token of its own with " +
        "the scope witness.write.",
    )
    .addArgument(new Argument("<kind>", "what it is").choices(["folder", "http", "tessera"]))
    .argument("<to>", "the folder or the address")
    .option("--bearer-file <file>", "file with the token to send there");
  examples(add, [
    "tess anchor add folder /mnt/other/heads",
    "tess anchor add http https://log.example/heads",
    "tess anchor add tessera https://tessera.other.example --bearer-file witness.token",
  ]);
  add.action(async (kind: Anchor["kind"], to: string, { bearerFile }: { readonly bearerFile?: string }) => {
    const token = bearerFile === undefined ? undefined : readTokenFile(resolve(session.terminal.cwd, bearerFile));
    const body: BodyOf<"addAnchor"> = { kind, to, ...(token !== undefined && { token }) };
    const made = await (await session.api()).call("addAnchor", { body });
    await emitObject(session, made, made.id, ({ id }) => `${session.paint("bold", id)} gets each new head\n`);
  });

  const remove = command
    .command("remove")
    .summary("stop writing to anchors")
    .description("Stops writing to anchors. What they hold stays there, and can still be verified against.")
    .argument("<id...>", "as tess anchor list shows them");
  examples(remove, ["tess anchor remove anc_0123456789abcdef"]);
  remove.action(async (ids: string[]) => {
    const api = await session.api();
    for (const anchor of ids) {
      await api.call("removeAnchor", { at: { anchor } });
      if (session.readable) await session.print(`${session.paint("bold", anchor)} removed\n`);
    }
  });

  const witnessed = command
    .command("witnessed")
    .summary("list heads of other servers that are kept here")
    .description("Lists the newest head of each other server that keeps its heads in this one.");
  addListFlags(witnessed);
  examples(witnessed, ["tess anchor witnessed", "tess anchor witnessed -o json"]);
  witnessed.action(async (flags: ListFlags) => {
    const page = await (await session.api()).call("listWitnessed");
    await emitList(session, page, { columns: witnessedColumns, nameOf: ({ origin }) => origin }, flags);
  });
}

const anchorColumns: readonly Column<Anchor>[] = [
  { name: "id", text: ({ id }) => id },
  { name: "kind", text: ({ kind }) => kind },
  { name: "to", text: ({ to }) => to, shrinks: true },
  { name: "row", text: ({ row }) => String(row ?? ""), right: true },
  { name: "written", text: ({ writtenAt }) => writtenAt ?? "" },
  { name: "failure", text: ({ failure }) => failure ?? "", style: () => "red", hidesEmpty: true, shrinks: true },
];

const witnessedColumns: readonly Column<Witnessed>[] = [
  { name: "server", text: ({ origin }) => origin },
  { name: "row", text: ({ row }) => String(row), right: true },
  { name: "kept", text: ({ at }) => at },
  { name: "head", text: ({ head }) => head, shrinks: true },
];
