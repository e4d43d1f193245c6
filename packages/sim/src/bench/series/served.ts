import { readFileSync } from "node:fs";
import { join } from "node:path";
import { day, hour } from "@tessera/core";
import { openReader, openStore } from "@tessera/server";
import { liveThrough } from "../../history/month.ts";
import { ServerProcess } from "../../soak/server-process.ts";
import type { Ask, Chart } from "./charts.ts";
import { type Accounts, type Generated, generate } from "./generate.ts";

const adminOf = "tenant-0";
/** The bench has no telemetry, and its month of money ended yesterday. */
const mayBeEmpty: ReadonlySet<string> = new Set(["busy", "spend"]);

/** The tokens of the callers. */
export type Tokens = Readonly<Record<Chart["as"], string>>;

type Shape = { readonly tenants: number; readonly teamsEach: number };

/**
 * A real server on a data folder with a simulated month of two tenants, for money, and with generated roll-ups of many
 * days and accounts, in the recorder's format.
 */
export class ServedSeries {
  readonly #server: ServerProcess;
  readonly #url: string;
  readonly tokens: Tokens;

  private constructor(server: ServerProcess, url: string, tokens: Tokens) {
    this.#server = server;
    this.#url = url;
    this.tokens = tokens;
  }

  static async start(data: string): Promise<ServedSeries> {
    const server = new ServerProcess({ data, virtual: "1x8:H100" });
    const url = await server.url;
    if (url === undefined) throw new Error(`the server did not start: ${server.said.join("\n")}`);
    const owner = readFileSync(join(data, "owner.token"), "utf8").trim();
    return new ServedSeries(server, url, { owner, "tenant-admin": "" });
  }

  /** Creates the accounts, and an administrator of the first tenant. */
  async populate({ tenants, teamsEach }: Shape): Promise<{ accounts: Accounts; tokens: Tokens }> {
    const idOf = async (path: string) => (await this.#post("/v1/accounts", { path })).id!;
    const made = [];
    for (let tenant = 0; tenant < tenants; tenant++) {
      const id = await idOf(`tenant-${tenant}`);
      const teams = [];
      for (let team = 0; team < teamsEach; team++) teams.push(await idOf(`tenant-${tenant}/team-${team}`));
      made.push({ id, teams });
    }
    const user = await this.#post("/v1/users", { name: "bench-admin", role: "tenant-admin", account: adminOf });
    const { token } = await this.#post("/v1/tokens", { user: user.id, label: "bench" });
    const { items: [root] = [] } = await this.#get("/v1/accounts?limit=1");
    return { accounts: { root: root!.id, tenants: made }, tokens: { ...this.tokens, "tenant-admin": token! } };
  }

  /** Milliseconds until all questions of a chart, sent at once, are answered. */
  async timeOf(asks: readonly Ask[], token: string): Promise<number> {
    const began = performance.now();
    await Promise.all(
      asks.map(async (ask) => {
        const { series = [], knownTo } = await this.#get(`/v1/series?${new URLSearchParams(ask)}`, token);
        const isKnown = series.some(({ values }) => values.some((value) => value !== null && value !== 0));
        if (!isKnown && ask.to === undefined && !mayBeEmpty.has(ask.metric!))
          throw new Error(`${JSON.stringify(ask)} is empty`);
        if (knownTo !== undefined) throw new Error("the roll-ups were not taken: the journal is read again");
      }),
    );
    return performance.now() - began;
  }

  async end(): Promise<void> {
    await this.#server.end("SIGTERM");
  }

  async #get(path: string, token = this.tokens.owner): Promise<Answer> {
    return answerOf(await fetch(`${this.#url}${path}`, { headers: { authorization: `Bearer ${token}` } }));
  }

  async #post(path: string, body: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.tokens.owner}`, "content-type": "application/json" };
    return answerOf(await fetch(`${this.#url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  }
}

interface Answer {
  readonly id?: string;
  readonly token?: string;
  readonly items?: readonly { readonly id: string }[];
  readonly series?: readonly { readonly values: readonly (number | null)[] }[];
  readonly knownTo?: number;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}

type Made = Omit<Generated, "file" | "accounts" | "untilAt" | "row"> & Shape;

/** A folder with accounts, money and roll-ups, on which a server can be started. */
export async function prepare(data: string, ask: Made) {
  const now = Date.now();
  const store = await openStore({ dir: join(data, "store") });
  const month = Math.floor(now / day) * day;
  await liveThrough(store, { fromAt: month - 30 * day, toAt: month });
  await store.close();
  const server = await ServedSeries.start(data);
  const { accounts, tokens } = await server.populate(ask);
  await server.end();
  const reader = await openReader({ dir: join(data, "store") });
  const { seq } = await reader.head();
  const [hash] = await reader.rowHashes(seq, 1);
  await reader.close();
  const row = { seq, hash: Buffer.from(hash!).toString("hex") };
  const untilAt = Math.floor(now / hour) * hour;
  const file = join(data, "series.sqlite");
  return { ...generate({ ...ask, file, accounts, untilAt, row }), file, tokens };
}
