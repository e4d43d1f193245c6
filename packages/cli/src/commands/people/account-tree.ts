import type { Account } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { account, pathText } from "../../nouns/account.ts";
import { emitList } from "../../output/emit.ts";
import { amountsText, bar, numberText, sumOf } from "../../output/gpus.ts";
import { pad, widthOf } from "../../output/width.ts";
import type { Session } from "../../session.ts";
import { type Paint, printable } from "../../terminal.ts";
import { fetchPages } from "../../verbs/pages.ts";

const barCells = 20;

/** Adds `tree`, for accounts and for quota. */
export function addTree(command: Command, session: Session): void {
  const tree = command
    .command("tree")
    .summary("draw the tree with the guarantee and the use of each account")
    .description(
      "Draws the tree. In each bar: green is the used part of the guarantee, yellow is borrowed, the rest is the idle part of the guarantee.",
    )
    .argument("[account]", "only this account and what is below");
  examples(tree, ["tess account tree", "tess account tree lab", "tess quota tree -o json"]);
  tree.action(async (under: string | undefined) => {
    const query = under === undefined ? {} : { under };
    const page = await fetchPages(account, await session.api(), query, undefined);
    if (!session.readable) return emitList(session, page, account);
    await session.print(treeText(page.items, session.paint));
    if (page.items.length === 0) await session.note("No accounts.");
  });
}

interface Branch {
  readonly account: Account;
  readonly lines: string;
}

/** Accounts as a tree, by their paths; an account whose parent is not in the list stands at the top. */
export function treeText(accounts: readonly Account[], paint: Paint): string {
  const sorted = accounts.toSorted((one, other) => one.path.localeCompare(other.path, "en", { numeric: true }));
  const paths = new Set(sorted.map(({ path }) => path));
  const children = Map.groupBy(sorted, ({ path }) => parentOf(path, paths));
  const branches: Branch[] = [];
  const grow = (parent: string | undefined, indent: string) => {
    const below = children.get(parent) ?? [];
    for (const [index, each] of below.entries()) {
      const last = index === below.length - 1;
      const top = parent === undefined;
      branches.push({ account: each, lines: top ? "" : `${indent}${last ? "└─ " : "├─ "}` });
      grow(each.path, top ? "" : `${indent}${last ? "   " : "│  "}`);
    }
  };
  grow(undefined, "");
  const labels = branches.map(({ account: each, lines }) => lines + printable(labelOf(each, lines)));
  const width = labels.reduce((widest, label) => Math.max(widest, widthOf(label)), 0);
  const scale = Math.max(1, ...accounts.map((each) => Math.max(sumOf(each.guarantee), each.used.gpus)));
  return branches
    .map(({ account: each }, index) => `${pad(labels[index]!, width)}  ${quotaText(each, scale, paint)}\n`)
    .join("");
}

/** The nearest account above that is in the list. The platform has the empty path. */
function parentOf(path: string, paths: ReadonlySet<string>): string | undefined {
  if (path === "") return undefined;
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    if (paths.has(path.slice(0, cut))) return path.slice(0, cut);
  }
  return paths.has("") ? "" : undefined;
}

function labelOf(each: Account, lines: string): string {
  return lines === "" || !each.path.includes("/") ? pathText(each) : each.path.slice(each.path.lastIndexOf("/") + 1);
}

function quotaText(each: Account, scale: number, paint: Paint): string {
  const guarantee = sumOf(each.guarantee);
  const { gpus, borrowed } = each.used;
  // The platform is promised nothing and borrows from no account.
  const platform = each.path === "";
  const lent = platform ? 0 : borrowed;
  const own = Math.max(guarantee, gpus);
  const cells = Math.max(own > 0 ? 1 : 0, Math.round((own / scale) * barCells));
  const picture = bar(
    [
      { amount: gpus - lent, style: "green" },
      { amount: lent, style: "yellow", mark: "▓" },
    ],
    own,
    cells,
    paint,
  );
  const parts = [
    platform ? `${numberText(gpus)} used` : `${numberText(gpus)} used of ${amountsText(each.guarantee)} guaranteed`,
    ...(lent > 0 ? [paint("yellow", `${numberText(lent)} borrowed`)] : []),
    ...(each.max === undefined ? [] : [`max ${amountsText(each.max)}`]),
    ...(each.liveJobs > 0 ? [`${each.liveJobs} ${each.liveJobs === 1 ? "job" : "jobs"}`] : []),
    ...(each.overcommitted ? [paint("red", "overcommitted")] : []),
  ];
  return `${picture}${" ".repeat(barCells - cells)}  ${parts.join(", ")}`;
}
