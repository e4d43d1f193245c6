import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContentStore } from "@tessera/content";
import {
  type AccountId,
  type AccountTerms,
  isRefusal,
  type JobId,
  type PoolTerms,
  type PriceVersion,
  parseJob,
  plainTerms,
  type RawJob,
  type ReadonlyState,
  type Role,
  type TokenId,
  type UserId,
} from "@tessera/core";
import type { TelemetryStore } from "@tessera/telemetry";
import type { Route, RouteId } from "@tessera/wire";
import { vaultOf } from "../access/holder.ts";
import { personRow } from "../access/people.ts";
import { prepareMaster, type RingPlace, ringPlaceIn } from "../access/ring/place.ts";
import { secretKey } from "../access/secrets.ts";
import { mintToken } from "../access/tokens.ts";
import type { Vault } from "../access/vault.ts";
import type { ApiWork } from "../api/away/tasks.ts";
import { type ApiConfig, type BuiltApi, buildApi } from "../api/build.ts";
import type { Reconciled } from "../flow/activity/reconcile.ts";
import type { Alarms } from "../flow/alarms.ts";
import type { Engines } from "../flow/engines/engines.ts";
import { newId } from "../flow/ids.ts";
import type { JournalSeries } from "../work/series.ts";
import type { TestControl } from "./control.ts";

export const testKeys = {
  serverKey: randomBytes(32),
  webhookKey: randomBytes(32),
  held: { ring: testRing(), secretsKey: randomBytes(32), signingKey: randomBytes(32) },
};

/** Data keys in a folder that goes with the process. */
function testRing(): RingPlace {
  const folder = mkdtempSync(join(tmpdir(), "tessera-ring-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const place = ringPlaceIn(folder);
  prepareMaster(place);
  return place;
}

/** Seals and opens with those keys. */
export function testVault(state: ReadonlyState): Vault {
  return vaultOf(testKeys.held, state);
}

export interface TestUser {
  readonly id: UserId;
  readonly name: string;
  readonly token: string;
  readonly tokenId: TokenId;
}

/** Makes users, accounts and jobs straight in the core, for tests of what the API lets through. */
export class Tenancy {
  readonly control: TestControl;

  constructor(control: TestControl) {
    this.control = control;
  }

  async account(path: string, terms: AccountTerms = plainTerms): Promise<AccountId> {
    const done = await this.control.must({ kind: "account.create", id: newId("acc_") as AccountId, path, terms });
    return done.result as AccountId;
  }

  async user(name: string, role?: Role, account = ""): Promise<TestUser> {
    const id = newId("usr_") as UserId;
    const first = role === undefined ? {} : { first: { role, account } };
    await this.control.must({ kind: "user.create", user: id, ...first }, [personRow(id, { name })]);
    return { id, name, ...(await this.token(id)) };
  }

  async token(
    user: UserId,
    scopes: readonly string[] = [],
    expiresAt = 0,
  ): Promise<{ token: string; tokenId: TokenId }> {
    const { token, prefix, hash } = mintToken();
    const id = newId("tok_") as TokenId;
    await this.control.must({ kind: "token.create", id, user, prefix, hash, label: "test", scopes, expiresAt });
    return { token, tokenId: id };
  }

  async job(account: string, user: UserId, raw: Partial<RawJob> = {}, notBeforeAt?: number): Promise<JobId> {
    const spec = parseJob({ run: "true", ...raw }, { after: [], ...(notBeforeAt !== undefined && { notBeforeAt }) });
    if (isRefusal(spec)) throw new Error(spec.detail);
    const id = newId("job_") as JobId;
    await this.control.must({ kind: "job.submit", id, account, user, spec, endedBefore: [] });
    return id;
  }

  async pool(name: string, { labels }: Pick<PoolTerms, "labels">): Promise<void> {
    await this.control.must({ kind: "pool.create", name, terms: { labels, perMille: 1_000 } });
  }

  /** A price list that holds since ever. */
  async prices(): Promise<void> {
    await this.control.must({ kind: "price.add", version: testPrices });
  }

  async budget(account: string): Promise<void> {
    const limits = { limitMicros: "1000000", every: "month", alertsPerMille: [], stop: "alert" } as const;
    await this.control.must({ kind: "budget.set", budget: { account, currency: "EUR", ...limits } });
  }

  async volume(account: string, name: string, path: string, readOnly = true): Promise<void> {
    await this.control.must({ kind: "volume.create", account, name, path, readOnly });
  }

  async secret(path: string, name: string, value: string): Promise<void> {
    const key = secretKey(this.control.state.accountByPath.get(path)!, name);
    const row = { kind: "secret", key, value: await testVault(this.control.state).seal(key, value) };
    await this.control.must({ kind: "secret.set", account: path, name }, [row]);
  }
}

/** 2 for a reserved hour of a GPU, 3 for one beyond the guarantee. */
export const testPrices: PriceVersion = {
  ...{ id: "test", fromAt: 0, currency: "EUR" },
  gpus: [{ model: "*", reservedMicros: 2_000_000, burstMicros: 3_000_000 }],
  ...{ isolation: {}, topology: {}, profile: {} },
  ...{ cpuMicrosPerCoreHour: 0, memoryMicrosPerGiBHour: 0, storageMicrosPerGiBHour: 0 },
  ...{ unbilled: ["starting"], lenderPerMille: 500, lostWorkPerMille: 0, idle: { policy: "absorb", gpus: [] } },
  ...{ minimumMicros: 0, rounding: "half-even", timesOfDay: [] },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface TestServer extends BuiltApi {
  readonly url: string;
  call(
    token: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** A call that has to succeed; what it answers. */
  must<Shape>(user: TestUser, method: string, path: string, body?: unknown): Promise<Shape>;
}

/** The API on a port of its own. */
export async function serveApi(
  control: TestControl,
  config: ApiConfig = {},
  table?: Readonly<Record<RouteId, Route>>,
  content = new ContentStore(join(tmpdir(), "tessera-test-keeps-nothing-here")),
  engines?: Engines,
  telemetry?: TelemetryStore,
  reconciled?: () => Reconciled | undefined,
  series?: JournalSeries,
  machine: { readonly dataFolder?: string; readonly alarms?: Alarms; readonly work?: ApiWork } = {},
): Promise<TestServer> {
  const built = await buildApi({
    control,
    keys: testKeys,
    content,
    ...(engines !== undefined && { engines }),
    ...(telemetry !== undefined && { telemetry }),
    ...(reconciled !== undefined && { reconciled }),
    ...(series !== undefined && { series }),
    ...machine,
    config: { logLevel: "silent", ...config },
    ...(table && { table }),
  });
  await built.app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`;
  return {
    ...built,
    url,
    async must<Shape>(this: TestServer, user: TestUser, method: string, path: string, body?: unknown) {
      const answer = await this.call(user.token, method, path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text || "{}") as Shape;
    },
    async call(token, method, path, body, headers = {}) {
      const raw = typeof body === "string" || body instanceof Uint8Array;
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && !raw && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
      const json =
        isJson && text !== "" && !answer.headers.get("content-type")!.includes("ndjson") ? JSON.parse(text) : undefined;
      return { status: answer.status, headers: answer.headers, text, json };
    },
  };
}
