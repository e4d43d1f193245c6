import {
  type Account,
  burstPrice,
  costOf,
  hour,
  isRefusal,
  modelsFor,
  type Refusal,
  refuse,
  rehearse,
  reservedPrice,
  tenantOfPath,
  termsAt,
  type User,
  unitsPerGpu,
} from "@tessera/core";
import type { Estimate, JobSpecBody } from "@tessera/wire";
import type { Finder } from "../find/find-job.ts";
import { gather } from "../submit/gather.ts";
import { bookOf } from "./bill.ts";
import { windowsBetween } from "./periods.ts";

/** What a job would cost in an hour of running, and for its time limit, at the prices of now. */
export async function estimateJob(
  finder: Finder,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<Estimate | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const { state } = finder.control;
  const { spec } = gathered;
  const now = finder.control.now();
  const outcome = rehearse(state, account.no, user.id, spec, now, 0);
  if (isRefusal(outcome)) return outcome;
  const book = bookOf(state);
  const terms = termsAt(book, windowsBetween(book.versions, now, now + 1), now, tenantOfPath(account.path));
  if (terms === undefined)
    return refuse(
      "conflict",
      "",
      null,
      "There is no price list yet",
      "ask the platform owner to add one: tess price add",
    );
  const placed = outcome.outlook.when === "now" ? outcome.outlook.placement : undefined;
  const choice = placed?.choice ?? 0;
  const ask = spec.gpus[choice]!;
  const model = state.fleet.models[modelsFor(state, { spec }, choice)[0] ?? -1] ?? ask.model;
  const burst = placed === undefined || placed.class === "burst";
  const units = ask.count * (placed?.unitsEach ?? ask.unitsEach) * spec.members.min;
  const isolation = ask.part === undefined ? "whole" : spec.isolation;
  const topology = spec.topology?.required === true ? spec.topology.level : "";
  const perMilles = placed?.seats.map(({ node }) => state.nodePools.of(node)?.terms.perMille ?? 1000);
  // Members in several pools cost as much as the dearest: an estimate must not be too low.
  const poolPerMille = perMilles === undefined ? 1000 : Math.max(...perMilles);
  const about = { model, isolation, topology, profile: ask.part?.profile ?? "", poolPerMille };
  const price = burst ? burstPrice(terms, about) : reservedPrice(terms, model);
  const cost = (ms: number) => costOf("burst", BigInt(units) * BigInt(ms), price, terms.version.rounding);
  const covered = "The guarantee covers it: it adds nothing to the invoice.";
  return {
    currency: terms.version.currency,
    perHourMicros: String(cost(hour)),
    ...(spec.maxTimeMs !== undefined && { totalMicros: String(cost(spec.maxTimeMs)) }),
    class: burst ? "burst" : "guaranteed",
    model,
    gpus: units / unitsPerGpu,
    text: burst ? "Beyond the guarantee: billed by the time it runs, where the account is beyond its floor." : covered,
  };
}
