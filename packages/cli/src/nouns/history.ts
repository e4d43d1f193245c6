import type { AuditEntry, FeedEntry } from "@tessera/wire";
import { instantText } from "../output/time.ts";
import { loadFromList, type Noun } from "./noun.ts";

const historyMax = 100;

const feed: Omit<Noun<FeedEntry>, "load"> = {
  name: "event",
  plural: "events",
  watch: "listEvents",
  grows: true,
  nameOf: ({ subject }) => subject,
  keyOf: ({ at, kind, subject }) => `${at} ${kind} ${subject}`,
  limit: () => historyMax,
  examples: ["tess events", "tess events --job llama-ft -w", "tess events --account lab -o json"],
  columns: [
    { name: "at", text: ({ at }) => instantText(at), raw: ({ at }) => at },
    {
      name: "kind",
      text: ({ kind }) => kind,
      style: ({ kind }) => (/fail|lost|down|refus/.test(kind) ? "red" : undefined),
    },
    { name: "subject", text: ({ subject }) => subject, shrinks: true },
    { name: "account", text: ({ account }) => account, shrinks: true },
    { name: "text", text: ({ text }) => text, shrinks: true },
  ],
  addFilters(command) {
    command.option("--job <job>", "only of this job").option("--account <account>", "only of this account and below");
  },
  async queryOf({ job, account }, session) {
    const { scope } = await session.settings();
    const under = account ?? (job === undefined ? scope : undefined);
    return { ...(job !== undefined && { job }), ...(under !== undefined && { account: under }) };
  },
  page: (api, query) => api.call("listEvents", { query }),
};

export const event: Noun<FeedEntry> = { ...feed, load: loadFromList(feed, ({ subject }, name) => subject === name) };

const trail: Omit<Noun<AuditEntry>, "load"> = {
  name: "audit",
  plural: "audit records",
  watch: "listAudit",
  grows: true,
  nameOf: ({ requestId }) => requestId,
  keyOf: ({ requestId, at, action, target, detail }) => `${at} ${requestId} ${action} ${target} ${detail}`,
  limit: () => historyMax,
  examples: [
    "tess audit --from 7d",
    "tess audit --actor ana --action job.submit -o csv",
    "tess audit --account lab -w",
    "tess audit --refusal forbidden --from 30d",
    "tess audit --data-access --account lab --from 30d",
    "tess audit --target job_4kq2 --limit 500",
    "tess audit --text wandb --from 2026-01-01T00:00 --to 2026-04-01T00:00",
  ],
  columns: [
    { name: "at", text: ({ at }) => instantText(at), raw: ({ at }) => at },
    { name: "actor", text: ({ actorName, actor }) => (actorName === "" ? actor : actorName), shrinks: true },
    { name: "action", text: ({ action }) => action },
    { name: "target", text: ({ target }) => target, shrinks: true },
    { name: "account", text: ({ account }) => account, shrinks: true },
    {
      name: "outcome",
      text: ({ outcome }) => outcome,
      style: ({ outcome }) => (outcome === "ok" ? "green" : /refused|failed/.test(outcome) ? "red" : undefined),
    },
    { name: "times", text: ({ count }) => String(count ?? 1), raw: ({ count }) => count ?? 1 },
    { name: "detail", text: ({ detail }) => detail, shrinks: true },
    { name: "address", text: ({ address }) => address ?? "", wide: true },
    { name: "token", text: ({ token }) => token ?? "", wide: true },
    { name: "request", text: ({ requestId }) => requestId, wide: true },
  ],
  addFilters(command) {
    command
      .option("--account <account>", "only of this account and below")
      .option("--actor <user>", "only what this user did")
      .option("--action <action>", "only this action, such as job.submit")
      .option("--data-access", "only what jobs were shown of data that is granted: --action data.mount")
      .option("--target <id>", "only about this job, user, token, account, node or secret")
      .option("--outcome <outcome>", "only ok, refused, failed, read, exported or changed")
      .option(
        "--refusal <kind>",
        "only what was refused as forbidden, not-allowed, not-found, unauthenticated or rate-limited",
      )
      .option("--address <address>", "only what came from this address")
      .option("--text <text>", "only records that hold this text anywhere; reads back as far as it must")
      .option("--from <time>", "ISO 8601, or back from now such as 7d")
      .option("--to <time>", "ISO 8601, or back from now such as 1h");
  },
  queryOf: async ({ account, actor, dataAccess, target, outcome, refusal, address, text, from, to, ...rest }) => {
    const action = dataAccess === undefined ? rest.action : "data.mount";
    return Object.fromEntries(
      Object.entries({ account, actor, action, target, outcome, refusal, address, text, from, to }).filter(
        ([, value]) => value !== undefined,
      ),
    );
  },
  page: (api, query) => api.call("listAudit", { query }),
};

export const audit: Noun<AuditEntry> = { ...trail, load: loadFromList(trail, ({ requestId }, id) => requestId === id) };
