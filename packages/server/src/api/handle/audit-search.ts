import { type Account, currencyOf, isRefusal, parseDuration, type Refusal, refuse, type UserId } from "@tessera/core";
import type { AuditEntry, QueryOf } from "@tessera/wire";
import { billingZone } from "../../flow/bill/bill.ts";
import { periodNamed } from "../../flow/bill/periods.ts";
import { monthLabel } from "../../flow/bill/tenant-months.ts";
import { belongsTo } from "../../flow/find/find-job.ts";
import { addressesOf, namesOfAddress } from "../../flow/notice/origins.ts";
import { stranger } from "../../flow/project/audit.ts";
import { doneOutcomes, privilegedActions, unprivilegedActors } from "../../flow/project/privileged.ts";
import { instantOrAgo } from "../../flow/zones.ts";
import { detailText } from "../../render/audit-detail.ts";
import { timestamp } from "../../render/quantities.ts";
import type { AuditPlace, AuditQuery, AuditRow } from "../../store/port.ts";
import type { Api } from "../context.ts";
import { isRefusedAs } from "../guard/record.ts";

/** What is looked for in the audit. */
export interface AuditSearch {
  /** What the store finds by its indexes. */
  readonly query: Omit<AuditQuery, "limit" | "before">;
  /** Whether the caller may see it. */
  readonly sees: (row: AuditRow) => boolean;
  /** What the store cannot compare; undefined where nothing is left to compare. */
  readonly keeps: ((row: AuditRow) => boolean) | undefined;
  /** What only the record as it is shown tells; undefined where nothing is left to compare. */
  readonly matches: ((entry: AuditEntry) => boolean) | undefined;
}

/** An address that was seen under more names than this is looked for record by record. */
const namesMax = 200;
/** Rows that one page reads at most: where little matches, a page leads on before it is full. */
const readMax = 20_000;
const rowsPerRead = 1_000;

/** With `lookUp` an address is looked for by the names that it has, which takes long where there are many. */
export async function auditSearch(
  api: Api,
  roots: readonly Account[],
  query: QueryOf<"listAudit">,
  lookUp = true,
): Promise<AuditSearch | Refusal> {
  const now = api.control.now();
  const at = (text: string | undefined, field: string) =>
    text === undefined ? undefined : instantOrAgo(text, field, now, (duration) => parseDuration(duration, field));
  const [fromAt, toAt] = [at(query.from, "from"), at(query.to, "to")];
  if (isRefusal(fromAt)) return fromAt;
  if (isRefusal(toAt)) return toAt;
  const { action, address, refusal } = query;
  const outcome = refusal === undefined ? query.outcome : "refused";
  if (refusal !== undefined && query.outcome !== undefined && query.outcome !== outcome) {
    const hint = "leave out one of the two";
    return refuse("invalid", "refusal", refusal, `cannot be used together with the outcome ${query.outcome}`, hint);
  }
  // Records name people by their ids, so that names can be erased; they are looked for by either.
  const idOf = (name: string | undefined) => (name === undefined ? undefined : (api.people.idOf(name) ?? name));
  const [actor, target] = [idOf(query.actor), idOf(query.target)];
  const names = address === undefined || !lookUp ? [] : await namesOfAddress(api.control.reader, address);
  const some = roots.some((root) => root.path === "") ? [] : roots;
  const byName = address !== undefined && lookUp && names.length <= namesMax;
  return {
    query: {
      accounts: some.map(({ path }) => path),
      madeAt: new Map(some.map(({ path, createdAt }) => [path, createdAt])),
      ...(actor !== undefined && { actor }),
      ...(action !== undefined && { action }),
      ...(target !== undefined && { target }),
      ...(outcome !== undefined && { outcome }),
      // Who shows no token has no roles.
      ...(refusal === "forbidden" && { notBy: [stranger] }),
      ...(query.privileged && { actions: privilegedActions, outcomes: doneOutcomes, notBy: unprivilegedActors }),
      ...(byName && { origins: names }),
      ...(fromAt !== undefined && { fromAt }),
      ...(toAt !== undefined && { toAt }),
    },
    sees: (row) => belongsTo(api.control.state, roots, row.account, toldOf(row, billingZone(api.control.state))),
    keeps: refusal && (({ detail }) => isRefusedAs(refusal, detail)),
    matches: matching([query.text, idOf(query.text)], byName ? undefined : address),
  };
}

/** The instant that a record is about: an invoice may be issued when another tenant has the name already. */
function toldOf({ action, target: label, at }: AuditRow, zone: string): number {
  const month = action === "invoice.issue" ? periodNamed(monthLabel(label), zone) : undefined;
  if (month === undefined || isRefusal(month)) return at;
  return label === month.label ? month.toAt - 1 : month.fromAt;
}

function matching(texts: readonly (string | undefined)[], address: string | undefined): AuditSearch["matches"] {
  const wanted = texts.flatMap((text) => text?.toLowerCase() ?? []);
  if (wanted.length === 0 && address === undefined) return undefined;
  return (entry) => {
    if (address !== undefined && entry.address !== address) return false;
    const held = Object.values(entry).join(" ").toLowerCase();
    return wanted.length === 0 || wanted.some((text) => held.includes(text));
  };
}

/** A page of what is looked for, newest first; `last` is where it leads on from, if there is more to look at. */
export async function findAudit(
  api: Api,
  search: AuditSearch,
  from: AuditPlace | undefined,
  limit: number,
): Promise<{ readonly items: AuditEntry[]; readonly last?: AuditPlace }> {
  const items: AuditEntry[] = [];
  const perRead = search.matches === undefined && search.keeps === undefined ? limit : rowsPerRead;
  let before = from;
  for (let read = 0; read < readMax; read += perRead) {
    const rows = await api.control.reader.audit({ ...search.query, ...(before && { before }), limit: perRead + 1 });
    const page = rows.slice(0, perRead);
    for (const [i, entry] of (await showAudit(api, search, page)).entries()) {
      before = page[i];
      if (entry !== undefined) items.push(entry);
      if (items.length === limit) return i + 1 < rows.length && before ? { items, last: before } : { items };
    }
    if (rows.length <= perRead) return { items };
  }
  return before === undefined ? { items } : { items, last: before };
}

/** Records beyond this many are not counted. */
const countMax = 1_000_000;

/** All that match; undefined where only showing each of them would tell, or where there are too many. */
export async function countAudit(api: Api, { query, keeps, matches }: AuditSearch): Promise<number | undefined> {
  if (matches !== undefined) return undefined;
  if (keeps !== undefined) return countKept(api, query, keeps);
  const many = await api.control.reader.countAudit({ ...query, limit: countMax });
  return many === countMax ? undefined : many;
}

/** As many rows are read as for a page. */
async function countKept(
  { control: { reader } }: Api,
  query: AuditSearch["query"],
  keeps: (row: AuditRow) => boolean,
): Promise<number | undefined> {
  let many = 0;
  let before: AuditPlace | undefined;
  for (let read = 0; read < readMax; read += rowsPerRead) {
    const rows = await reader.audit({ ...query, ...(before && { before }), limit: rowsPerRead });
    many += rows.filter(keeps).length;
    if (rows.length < rowsPerRead) return many;
    before = rows.at(-1);
  }
  return undefined;
}

/** The record with this id, if there is one that the caller may see. */
export async function auditEntry(api: Api, search: AuditSearch, id: string): Promise<AuditEntry[]> {
  const [seq, index] = id.split(".").map(Number);
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(index)) return [];
  const before = { seq: seq!, index: index! + 1 };
  const rows = await api.control.reader.audit({ ...search.query, before, limit: 1 });
  const found = await showAudit(api, search, rows);
  return found.filter((entry) => entry?.id === id).flatMap((entry) => entry ?? []);
}

/** Records as they are shown, with the addresses that were not erased; undefined for what is not to be shown. */
export async function showAudit(
  api: Api,
  { sees, keeps = () => true, matches = () => true }: Pick<AuditSearch, "sees" | "keeps" | "matches">,
  rows: readonly AuditRow[],
): Promise<(AuditEntry | undefined)[]> {
  const names = rows.flatMap(({ origin }) => origin ?? []);
  const addresses = await addressesOf(api.control.reader, names);
  return rows.map((row) => {
    const entry = sees(row) && keeps(row) ? showRecord(api, row, addresses.get(row.origin ?? "")) : undefined;
    return entry !== undefined && matches(entry) ? entry : undefined;
  });
}

function showRecord(api: Api, row: AuditRow, address: string | undefined): AuditEntry {
  const targetName = row.target.startsWith("usr_") ? api.people.nameOf(row.target as UserId) : "";
  const nobody = row.actor === "system" || row.actor === stranger;
  return {
    id: `${row.seq}.${row.index}`,
    at: timestamp(row.at),
    actor: row.actor,
    actorName: nobody ? row.actor : api.people.nameOf(row.actor as UserId),
    ...(row.token !== null && { token: row.token }),
    action: row.action,
    target: row.target,
    ...(targetName !== "" && { targetName }),
    account: row.account,
    outcome: row.outcome,
    detail: detailText(row, currencyOf(api.control.state.books.versions)),
    ...(address !== undefined && { address }),
    ...(row.count !== undefined && { count: row.count }),
    requestId: row.request,
  };
}
