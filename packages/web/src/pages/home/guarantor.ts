import { useQuery } from "@tanstack/react-query";
import type { Account } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { useMe } from "../../api/me.tsx";
import { spellGpus, spellNumber } from "../../format/numbers.ts";
import { isWithin, stepsOf } from "../../frame/account.ts";
import { amountOf } from "../quota/amounts.ts";

type Guaranteed = Pick<Account, "path" | "guarantee">;

/** Guarantees change seldom. */
const everyMs = 30_000;

/** An account and those above it that the person may see, the lowest first: one of them guarantees what it holds. */
export function useGuarantors(own: Account): readonly [Guaranteed, ...Guaranteed[]] {
  const { bindings } = useMe();
  const above = stepsOf(own.path)
    .slice(0, -1)
    .reverse()
    .filter((step) => bindings.some(({ account }) => isWithin(step, account)));
  const { data = [] } = useQuery({
    queryKey: ["accounts above", own.path],
    enabled: above.length > 0,
    refetchInterval: everyMs,
    queryFn: ({ signal }) => Promise.all(above.map((account) => call("getAccount", { at: { account }, signal }))),
  });
  return [own, ...data];
}

/** The first of the accounts in whose guarantee these GPUs fit. */
export function guarantorOf(accounts: readonly Guaranteed[], gpus: number): Guaranteed | undefined {
  return accounts.find(({ guarantee }) => amountOf(guarantee) > 0 && amountOf(guarantee) >= gpus);
}

/** What an account holds of which class, and within whose guarantee: `12 of 16 GPUs`, and what is said below it. */
export function wordsOfQuota(accounts: readonly [Guaranteed, ...Guaranteed[]], gpus: number, burst: number) {
  const [own] = accounts;
  const guarantor = guarantorOf(accounts, gpus);
  const lent = burst > 0 ? `, and ${spellGpus(burst)} burst, which can be taken back` : ", no burst";
  if (guarantor === own)
    return { title: `${spellNumber(gpus)} of ${spellGpus(amountOf(own.guarantee))}`, about: `guaranteed${lent}` };
  const itsOwn = amountOf(own.guarantee);
  const within =
    guarantor !== undefined
      ? `guaranteed within the ${spellNumber(amountOf(guarantor.guarantee))} of ${guarantor.path}`
      : itsOwn > 0
        ? `guaranteed, ${spellNumber(itsOwn)} of them to it alone`
        : gpus > 0
          ? "guaranteed by accounts above"
          : "guaranteed";
  return { title: spellGpus(gpus), about: `${within}${lent}` };
}

/** `12 of 16 GPUs, 4 burst`; the guarantee of an account that has none of its own lies above it. */
export function heldWords(held: number, guarantee: number, burst: number): string {
  const whole = guarantee > 0 ? `${spellNumber(held)} of ${spellGpus(guarantee)}` : spellGpus(held);
  return burst > 0 ? `${whole}, ${spellNumber(burst)} burst` : whole;
}
