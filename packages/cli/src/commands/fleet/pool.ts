import type { PoolCreate, PoolShape } from "@tessera/wire";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { labelsOf } from "../../job/labels.ts";
import { pool } from "../../nouns/pool.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface PoolFlags {
  readonly label?: string[];
  readonly tenant?: string[];
  readonly allTenants?: boolean;
  readonly price?: string;
  readonly mode?: string;
  readonly ratio?: string;
  readonly trust?: string;
}

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and changes pools: nodes by label, with the tenants that may use them, how their GPUs are shared, and what they cost.",
    ),
    ["tess pool get", "tess pool create reserved --label tier=gold --tenant lab --price 1.5"],
  );
  addNounVerbs(command, pool, session);

  const create = command
    .command("create")
    .summary("make a pool of the nodes that have these labels")
    .description(
      "Makes a pool of the nodes that have all of these labels. Nodes in no pool are for everyone at the usual price.",
    )
    .argument("<name>", "lower-case letters, digits and -");
  poolFlags(create);
  examples(create, [
    "tess pool create reserved --label tier=gold --tenant lab --tenant studio/render",
    "tess pool create east --label engine=east --price 0.8",
    "tess pool create notebooks --label tier=shared --mode timeslice --ratio 4",
  ]);
  create.action(async (name: string, flags: PoolFlags) => {
    if (flags.label === undefined)
      throw usageFailure("--label is missing", "a pool is the nodes with a label, such as --label tier=gold");
    const body = { name, labels: labelsOf("--label", flags.label), ...givenOf(flags) };
    await show(session, await (await session.api()).call("createPool", { body }), "created");
  });

  const edit = command
    .command("edit")
    .summary("change labels, tenants, sharing or price of a pool")
    .description("Changes what is given only. The labels and the tenants given replace those that were there.")
    .argument("<pool>", "name");
  poolFlags(edit).option("--all-tenants", "all tenants may use it");
  examples(edit, [
    "tess pool edit reserved --price 2",
    "tess pool edit reserved --all-tenants",
    "tess pool edit reserved --mode mig --trust trusted",
  ]);
  edit.action(async (name: string, flags: PoolFlags) => {
    if (flags.allTenants && flags.tenant !== undefined)
      throw usageFailure("--all-tenants and --tenant cannot be used together", "give one of them");
    const body = {
      ...(flags.label !== undefined && { labels: labelsOf("--label", flags.label) }),
      ...givenOf(flags),
      ...(flags.allTenants && { tenants: null }),
      ...(flags.mode === asNode && { mode: null }),
      ...(flags.trust === everyTenant && { trust: null }),
    };
    if (Object.keys(body).length === 0)
      throw usageFailure("nothing to change", "such as --price 1.5; see tess pool edit --help");
    await show(session, await (await session.api()).call("editPool", { at: { pool: name }, body }), "changed");
  });

  const remove = command
    .command("delete")
    .summary("delete pools; their nodes stay")
    .description("Deletes pools. Their nodes stay, are open to all tenants, and cost the usual price.")
    .argument("<pool...>", "names");
  examples(remove, ["tess pool delete reserved"]);
  remove.action(async (names: string[]) => {
    await confirm(session, `Delete ${names.join(", ")}? All tenants may then use the nodes.`);
    const api = await session.api();
    for (const name of names) {
      await api.call("deletePool", { at: { pool: name } });
      if (session.readable) await session.print(`${session.paint("bold", name)} deleted\n`);
    }
  });
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

function poolFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--label <key=value>",
        "nodes that have this label; engine and region count as labels; may be repeated, all must match",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--tenant <account>",
        "only jobs of this account and below use these nodes; may be repeated; default: all",
      ).argParser(collect),
    )
    .option("--price <factor>", "multiply the price of use beyond guarantees by this, such as 1.5")
    .addOption(
      new Option(
        "--mode <mode>",
        "how GPUs are shared here: any of these, by MIG, MPS or time slices, whole GPUs only, or as each node says",
      ).choices([...modes, asNode]),
    )
    .addOption(
      new Option("--ratio <n>", "how often time slices of each GPU are given out; memory is given out once").choices(
        ratios,
      ),
    )
    .addOption(
      new Option("--trust <level>", "the least trust of a tenant whose parts of GPUs come here").choices([
        ...trusts,
        everyTenant,
      ]),
    );
}

const asNode = "node";
const everyTenant = "all";
const modes = ["any", "whole", "mig", "mps", "timeslice"] as const;
const ratios = ["1", "2", "3", "4"];
const trusts = ["confidential", "untrusted", "trusted"] as const;

/** What is said, without what is taken back. */
function givenOf({ tenant, price, mode, ratio, trust }: PoolFlags): Omit<PoolCreate, "name" | "labels"> {
  const knownMode = modes.find((each) => each === mode);
  const knownTrust = trusts.find((each) => each === trust);
  return {
    ...(tenant !== undefined && { tenants: tenant }),
    ...(price !== undefined && { price }),
    ...(knownMode !== undefined && { mode: knownMode }),
    ...(ratio !== undefined && { ratio: Number(ratio) }),
    ...(knownTrust !== undefined && { trust: knownTrust }),
  };
}

async function show(session: Session, one: PoolShape, done: string): Promise<void> {
  await emitObject(session, one, one.name, (each) => {
    const rest = pool.describe?.(each, session.paint, session.now()) ?? "";
    return `${session.paint("bold", each.name)} ${done}\n${rest.slice(rest.indexOf("\n") + 1)}`;
  });
}
