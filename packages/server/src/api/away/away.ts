import type { ReadonlyState } from "@tessera/core";
import type { RouteId } from "@tessera/wire";
import type { FastifyReply } from "fastify";
import { QueueFull } from "../../work/fair-queue.ts";
import { Stopped } from "../../work/messages.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import type { AwayAnswer } from "./tasks.ts";

/**
 * Routes that are answered on another thread: what they read grows with the history, or with the fleet. Those of the
 * second kind are answered here while the fleet is small: it takes less time than asking another thread. A list of jobs
 * that is searched, sorted or counted reads far more of the past than a page of it. The first rows of a list are
 * answered here at any size: they are what a page of the console opens with, and must not wait for a thread that is
 * opening or busy with a report.
 */
const away: { readonly [Id in RouteId]?: "always" | "large" | "rows" | "jobs" | "rating" } = {
  readUsage: "always",
  readWaste: "always",
  readMoment: "always",
  listUsageEvents: "always",
  readCosts: "always",
  previewPrices: "always",
  previewContract: "always",
  previewBudget: "always",
  previewClose: "always",
  listBudgets: "always",
  setBudget: "always",
  listBilling: "always",
  setBilling: "always",
  previewBilling: "always",
  listInvoices: "always",
  getInvoice: "always",
  explainLine: "always",
  getExtract: "always",
  closePeriod: "always",
  listEntries: "always",
  listAudit: "always",
  previewAccount: "always",
  dryRunJob: "large",
  estimateJob: "large",
  explainJob: "large",
  readPlan: "large",
  readFleet: "large",
  listGpus: "large",
  listNodes: "rows",
  listJobs: "jobs",
  readSeries: "rating",
  listAccounts: "rows",
  listUsers: "rows",
  listRoles: "large",
};

/** Below these, no answer takes longer than a few milliseconds. */
const smallFleet = { gpus: 2_000, jobs: 2_000, accounts: 500 };

export function isLarge(state: ReadonlyState): boolean {
  return (
    state.fleet.gpuCapacity.length > smallFleet.gpus ||
    state.jobs.size > smallFleet.jobs ||
    state.accounts.length > smallFleet.accounts
  );
}

type Query = Readonly<Record<string, unknown>>;

export function isAway(id: RouteId, state: ReadonlyState, query: Query): boolean {
  const when = away[id];
  if (when === undefined || when === "always") return when === "always";
  // Money is rated from the books; other series are kept by threads of their own.
  if (when === "rating") return query.metric === "spend";
  if (when === "jobs" && asksFor(query, ["text", "sort", "count", "model", "label"])) return true;
  if (!isLarge(state)) return false;
  return when === "large" || !isShort(state, query);
}

function asksFor(query: Query, names: readonly string[]): boolean {
  return names.some((name) => query[name] !== undefined);
}

/** A page of these is shown within a few milliseconds, if no more has to be walked through for it. */
const fewRows = 20;
const walkedMax = 50_000;

function isShort(state: ReadonlyState, query: Query): boolean {
  const { limit } = query;
  if (typeof limit !== "number" || limit > fewRows || asksFor(query, ["text", "sort", "reason", "cost", "outlook"]))
    return false;
  return state.fleet.nodes.length + state.jobs.size + state.accounts.length + state.users.size <= walkedMax;
}

/** Aborted when the client closes the connection before it was answered. */
export function whenLeft(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) left.abort();
  });
  return left.signal;
}

/** Answers a checked request on another thread. */
export async function answerAway(
  { work }: Pick<Api, "work">,
  id: RouteId,
  call: Call<RouteId>,
  signal: AbortSignal,
): Promise<AwayAnswer | Denial> {
  const { params, query, body, requestId, address, idempotency, ifMatch, ifNone } = call;
  const { user, token } = call.principal;
  const input = { id, user: user.id, token, params, query, body, requestId, address, idempotency, ifMatch, ifNone };
  try {
    return await work!.answering.run("answer", input, user.id, signal);
  } catch (error) {
    const denial = denialOfWork(error);
    if (denial === undefined) throw error;
    return denial;
  }
}

/** What is told of work that was not done; undefined for what is no refusal. */
export function denialOfWork(error: unknown): Denial | undefined {
  if (error instanceof Stopped)
    return deny(
      "unavailable",
      `The request was given up: ${error.message}.`,
      "Ask for less at once: a shorter span, fewer rows.",
    );
  if (!(error instanceof QueueFull)) return undefined;
  return error.ofCaller
    ? deny("rate-limited", "Too many of your requests wait to be worked on.", "Wait for the earlier ones.")
    : deny("unavailable", "Too many requests wait to be worked on.", "Try again in a moment.");
}
