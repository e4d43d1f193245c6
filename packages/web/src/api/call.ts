import type { AnswerOf, BodyOf, Problem, QueryOf, RouteId } from "@tessera/wire";
import { addresses, creates } from "@tessera/wire/addresses";
import { inZone } from "../format/times.ts";
import { problemOf } from "./problem.ts";
import { withProof } from "./proof.ts";

/** A request that was refused, with what the API says about it. */
export class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

export interface Ask<Id extends RouteId> {
  /** Values of the `:name` parts of the path. */
  readonly at?: Readonly<Record<string, string>>;
  readonly query?: QueryOf<Id>;
  readonly body?: BodyOf<Id>;
  /** A job file as it was written; sent instead of `body`. */
  readonly yaml?: string;
  readonly ifMatch?: string;
  /** Only to be made: refused where there is one already. */
  readonly ifNone?: boolean;
  readonly signal?: AbortSignal;
}

let onSignedOut: (why: string) => void = () => {};

/** Called with the reason when the session is no longer valid. */
export function whenSignedOut(listener: typeof onSignedOut): void {
  onSignedOut = listener;
}

/** The session is no longer valid, as another request or a stream has found. */
export function signedOut(why: string): void {
  onSignedOut(why);
}

let onStepUp: () => Promise<boolean> = async () => false;

/** Called when an act needs a second factor; answers whether it was shown. */
export function whenStepUp(listener: typeof onStepUp): void {
  onStepUp = listener;
}

let onFactorMissing = () => {};

/** Called when nothing is answered before a second factor is shown: the rules may have changed meanwhile. */
export function whenFactorMissing(listener: () => void): void {
  onFactorMissing = listener;
}

let onHead: (line: string | null) => void = () => {};

/** Called with the signed head of the history that each answer carries. */
export function whenHead(listener: typeof onHead): void {
  onHead = listener;
}

/** The address of a route with its parameters filled in. */
export function addressOf(id: RouteId, at: Readonly<Record<string, string>> = {}, query: object = {}): string {
  const path = addresses[id].split(" ")[1]!.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(at[name] ?? ""));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Their answers may bring another session: what follows from a head would still be asked for with the one before. */
const signingIn: ReadonlySet<RouteId> = new Set<RouteId>(["readSession", "signIn", "challengeFactor", "showFactor"]);

/** Calls a route of the public API. Throws Refused or Unreachable. */
export async function call<Id extends RouteId>(id: Id, ask: Ask<Id> = {}): Promise<AnswerOf<Id>> {
  const response = await send(id, ask);
  if (response.ok && !signingIn.has(id)) onHead(response.headers.get("tessera-head"));
  if (response.ok) return (response.status === 204 ? {} : await response.json()) as AnswerOf<Id>;
  const problem = await problemOf(response);
  if (response.status === 401 && id !== "signIn") onSignedOut(problem.detail);
  if (problem.code === "factor-required") onFactorMissing();
  if (problem.code === "step-up-required" && (await onStepUp())) return call(id, ask);
  throw new Refused(problem);
}

async function send<Id extends RouteId>(id: Id, ask: Ask<Id>): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (ask.yaml !== undefined) headers["content-type"] = "application/yaml";
  else if (ask.body !== undefined) headers["content-type"] = "application/json";
  if (id in creates) headers["idempotency-key"] = crypto.randomUUID();
  if (ask.ifMatch !== undefined) headers["if-match"] = `"${ask.ifMatch}"`;
  if (ask.ifNone) headers["if-none-match"] = "*";
  const body = ask.yaml ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
  try {
    return await fetch(addressOf(id, ask.at, ask.query as object | undefined), {
      method: addresses[id].split(" ")[0]!,
      headers: withProof(headers),
      ...(body !== undefined && { body }),
      ...(ask.signal && { signal: ask.signal }),
    });
  } catch (cause) {
    if ((cause as Error).name === "AbortError") throw cause;
    throw new Unreachable("The server does not answer.", { cause });
  }
}

/** Whether there is nothing to show because of it: the caller may not see it, or the server failed. */
export function isNotShown(error: Error, { state }: { state: { data: unknown } }): boolean {
  if (!(error instanceof Refused) || state.data !== undefined) return false;
  return error.problem.status >= 500 || error.problem.status === 429 || isForbidden(error);
}

/** Whether the caller's roles do not allow it; a second factor that is missing is asked for elsewhere. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Refused && error.problem.code === "forbidden";
}

/** Whether what was asked for does not exist, as far as the caller may see. */
export function isMissing(error: unknown): error is Refused {
  return error instanceof Refused && error.problem.status === 404;
}

/** Whether the thing was changed by someone else since it was read. */
export function isStale(error: unknown): boolean {
  return error instanceof Refused && error.problem.status === 412;
}

/** What went wrong, in the API's own words, with times in the reader's zone. */
export function wordsOf(error: unknown): string {
  if (error instanceof Refused) {
    const { detail, hint } = error.problem;
    return inZone(hint === undefined ? detail : `${detail} ${hint}`);
  }
  return error instanceof Error ? error.message : String(error);
}

/** A list that is longer is cut: a page could not hold it. */
const itemsMax = 20_000;

/** What a page of a list holds at most. */
const pageMax = 1_000;

interface AllAsk {
  readonly signal?: AbortSignal;
  readonly at?: Readonly<Record<string, string>>;
  /** So many at most. */
  readonly most?: number;
}

/** Every page of a list, or its first rows. */
export async function callAll<Id extends RouteId>(
  id: Id,
  query: QueryOf<Id>,
  { signal, at = {}, most = itemsMax }: AllAsk = {},
): Promise<ItemOf<Id>[]> {
  const items: ItemOf<Id>[] = [];
  for (let cursor: string | undefined, more = true; more && items.length < most; ) {
    const limit = Math.min(pageMax, most - items.length);
    const page = (await call(id, {
      at,
      query: { ...(query as object), limit, ...(cursor && { cursor }) } as QueryOf<Id>,
      ...(signal && { signal }),
    })) as {
      items: ItemOf<Id>[];
      next?: string;
    };
    items.push(...page.items);
    cursor = page.next;
    more = cursor !== undefined;
  }
  return items;
}

export type ItemOf<Id extends RouteId> = AnswerOf<Id> extends { items: (infer Item)[] } ? Item : never;
