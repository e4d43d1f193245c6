import type { Account } from "@tessera/core";
import { type UsagePlace, usageAfter } from "../../flow/meter/usage-events.ts";
import type { AuditRow } from "../../store/port.ts";
import type { Api } from "../context.ts";
import { type FeedItem, renderFeedItem } from "../feed.ts";
import { type AuditSearch, showAudit } from "../handle/audit-search.ts";
import { showUsageEvent } from "../handle/records.ts";
import { quickMs } from "./diff.ts";
import type { Change, Source } from "./source.ts";

/** The feed only grows. */
export class FeedSource implements Source {
  readonly #api: Api;
  readonly #wanted: (item: FeedItem) => boolean;
  readonly #limit: number;
  #place = 0;
  readonly everyMs = quickMs;

  constructor(api: Api, wanted: (item: FeedItem) => boolean, limit: number) {
    this.#api = api;
    this.#wanted = wanted;
    this.#limit = limit;
  }

  sync(): readonly object[] {
    const items: FeedItem[] = [];
    this.#place = this.#api.feed.end;
    for (const item of this.#api.feed.newest()) {
      if (items.length === this.#limit) break;
      if (this.#wanted(item)) items.push(item);
    }
    return items.map(renderFeedItem);
  }

  changes(): readonly Change[] {
    const { feed } = this.#api;
    const fresh = feed.since(this.#place) ?? [...feed.newest()].reverse();
    this.#place = feed.end;
    return fresh.filter(this.#wanted).map((item) => ({ event: "put", item: renderFeedItem(item) }));
  }
}

const usageEveryMs = 1_000;
/** Each is sealed and spelled: more at once would hold up others. */
const usageAtOnce = 200;

/** What is metered only grows, too: from the cursor on, and then whatever comes. */
export class UsageSource implements Source {
  readonly #api: Api;
  readonly #accounts: readonly Account[];
  #place: UsagePlace | undefined;
  everyMs = usageEveryMs;
  more = false;

  constructor(api: Api, accounts: readonly Account[], from: UsagePlace | undefined) {
    this.#api = api;
    this.#accounts = accounts;
    this.#place = from;
  }

  sync(): Promise<readonly object[]> {
    return this.#take();
  }

  async changes(): Promise<readonly Change[]> {
    return (await this.#take()).map((item) => ({ event: "put", item }));
  }

  async #take(): Promise<readonly object[]> {
    const { found, seen, more } = await usageAfter(this.#api.control, this.#accounts, this.#place, usageAtOnce);
    this.#place = seen;
    this.more = more;
    this.everyMs = more ? quickMs : usageEveryMs;
    return found.map((each) => showUsageEvent(this.#api, each));
  }
}

const auditEveryMs = 1_000;
const auditRowsMax = 1_000;

/** The audit only grows too, but lies in the store. */
export class AuditSource implements Source {
  readonly #api: Api;
  readonly #search: AuditSearch;
  readonly #limit: number;
  #last: AuditRow | undefined;
  readonly everyMs = auditEveryMs;

  constructor(api: Api, search: AuditSearch, limit: number) {
    this.#api = api;
    this.#search = search;
    this.#limit = limit;
  }

  async sync(): Promise<readonly object[]> {
    const rows = await this.#api.control.reader.audit({ ...this.#search.query, limit: this.#limit });
    this.#last = rows[0];
    return this.#shown(rows);
  }

  async changes(): Promise<readonly Change[]> {
    const rows = await this.#api.control.reader.audit({ ...this.#search.query, limit: auditRowsMax });
    const last = this.#last;
    const fresh =
      last === undefined
        ? rows
        : rows.filter((row) => row.seq > last.seq || (row.seq === last.seq && row.index > last.index));
    this.#last = rows[0] ?? last;
    const shown = await this.#shown(fresh.toReversed());
    return shown.map((item) => ({ event: "put", item }));
  }

  async #shown(rows: readonly AuditRow[]): Promise<readonly object[]> {
    return (await showAudit(this.#api, this.#search, rows)).filter((entry) => entry !== undefined);
  }
}
