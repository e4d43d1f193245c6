import { amountOf, plus, stayingOf } from "./amount.ts";
import { coverFor } from "./quota.ts";
import { compareShares, type Share, shareOf, shareOfJob } from "./share.ts";
import { noAccount, optionsOf, root, type Wish, type World } from "./world.ts";

/** A side of an account: its next job, and its class and share with that job added. */
interface Side {
  readonly name: string;
  readonly wish: Wish;
  readonly burst: boolean;
  readonly share: Share;
}

/** The next of these jobs [O1, O2, O3]. */
export function nextOf(world: World, wishes: readonly Wish[]): Wish | undefined {
  return best(world, root, wishes)?.wish;
}

function best(world: World, account: number, wishes: readonly Wish[]): Side | undefined {
  const sides: Side[] = [];
  const own = firstOf(wishes.filter((wish) => wish.account === account));
  if (own !== undefined) sides.push(sideOf(world, noAccount, own));
  for (const [child, { above }] of world.accounts.entries()) {
    if (above !== account) continue;
    const next = best(world, child, wishes);
    if (next !== undefined) sides.push(sideOf(world, child, next.wish));
  }
  return sides.sort(compareSides)[0];
}

/** The first of one account's jobs: priority, then age [O3]. */
export function firstOf(wishes: readonly Wish[]): Wish | undefined {
  return [...wishes].sort((a, b) => b.priority - a.priority || a.no - b.no)[0];
}

function sideOf(world: World, account: number, wish: Wish): Side {
  const option = optionsOf(world, wish)[0];
  if (option === undefined) return { name: "", wish, burst: true, share: { borrowed: 0, fleet: 1, weight: 1 } };
  const amount = amountOf(world, wish, option);
  const burst = coverFor(world, wish.account, amount) === noAccount;
  if (account === noAccount) return { name: "", wish, burst, share: shareOfJob(world, amount) };
  const share = shareOf(world, account, plus(stayingOf(world, account), amount));
  return { name: world.accounts[account]!.path, wish, burst, share };
}

function compareSides(a: Side, b: Side): number {
  if (a.burst !== b.burst) return a.burst ? 1 : -1;
  return compareShares(a.share, b.share) || a.wish.no - b.wish.no || (a.name < b.name ? -1 : 1);
}

/** Whether one of two jobs can start or claim exactly when the other can. */
export function isSameWish(a: Wish, b: Wish): boolean {
  return (
    a.account === b.account &&
    a.members === b.members &&
    a.apart === b.apart &&
    a.within === b.within &&
    JSON.stringify(a.where) === JSON.stringify(b.where) &&
    a.priority === b.priority &&
    a.preemptible === b.preemptible &&
    a.elastic === b.elastic &&
    a.cpusMilli === b.cpusMilli &&
    a.memoryMiB === b.memoryMiB &&
    JSON.stringify(a.asks) === JSON.stringify(b.asks)
  );
}
