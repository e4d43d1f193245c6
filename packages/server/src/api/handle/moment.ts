import { isRefusal, parseDuration } from "@tessera/core";
import { Past } from "../../flow/past/past.ts";
import { instantOrAgo } from "../../flow/zones.ts";
import { fleetMap } from "../../render/fleet-map.ts";
import { renderArray, renderJob } from "../../render/job.ts";
import { timestamp } from "../../render/quantities.ts";
import type { StoreReader } from "../../store/port.ts";
import { deny } from "../answer/problem.ts";
import type { Handler } from "../context.ts";
import { jobFilter, liveJobs } from "../list/job-filter.ts";
import { withName } from "../list/job-show.ts";

/** One for each store: it remembers the moment that was shown last. */
const pasts = new WeakMap<StoreReader, Past>();

/** So many jobs are shown, those that wait first; all are counted. */
const jobsMax = 1_000;

export const momentHandlers: { readMoment: Handler<"readMoment"> } = {
  async readMoment(api, { principal, query, target }) {
    const { control } = api;
    const now = control.now();
    const at = instantOrAgo(query.at, "at", now, (text) => parseDuration(text, "at"));
    if (isRefusal(at)) return at;
    const past = pasts.get(control.reader) ?? new Past(control.reader);
    pasts.set(control.reader, past);
    const oldest = await past.oldest();
    if (at > now) return deny("invalid", "That moment has not come.", "Ask for a moment before now.", "at", query.at);
    const moment = oldest === undefined ? undefined : await past.at(at);
    if (moment === undefined || oldest === undefined) {
      const from =
        oldest === undefined ? "Nothing has happened yet" : `The past is kept from ${timestamp(oldest.at)} on`;
      return deny("not-found", "That moment is not kept.", `${from}.`, "at", query.at);
    }
    const { state, seq } = moment;
    // What one may see is what one may see now; the accounts are those of then.
    const roots = target.filter(({ no }) => state.accounts[no] !== undefined);
    const { waiting = [], holding = [] } = Object.groupBy(liveJobs(state, jobFilter(api, roots, {})), (job) =>
      ("size" in job ? job.active === 0 : job.state === "waiting") ? "waiting" : "holding",
    );
    const shown = [...waiting, ...holding].slice(0, jobsMax);
    return {
      at: timestamp(at),
      row: seq,
      oldest: timestamp(oldest.at),
      nodes: [...fleetMap(state, principal.user)],
      waiting: waiting.length,
      holding: holding.length,
      jobs: shown.map((job) => withName(api, "size" in job ? renderArray(state, job) : renderJob(state, job, at))),
    };
  },
};
