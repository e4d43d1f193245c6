import type { Job } from "@tessera/wire";
import { useMemo } from "react";
import { useLive } from "../../api/live.ts";
import { useMe } from "../../api/me.tsx";
import { Choice } from "../../design/choice.tsx";
import { ButtonLink, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { Rows } from "../../design/rows.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
import { gpusColumn, nameColumn, projectColumn, sinceColumn, stateColumn, userColumn } from "./job-columns.tsx";

const states = ["all", "waiting", "running", "ended"] as const;
const columns = [nameColumn, projectColumn, userColumn, gpusColumn, stateColumn, sinceColumn];

/** Every job that may be seen, newest first; the filter is in the address. */
export function JobsPage() {
  const me = useMe();
  const [params, set] = useAddress();
  const state = states.find((each) => each === params.get("state")) ?? "all";
  const mine = params.get("mine") === "yes";
  const text = params.get("text") ?? "";
  const jobs = useLive("listJobs", { state: "all", ...(mine && { user: me.user }) });
  const shown = useMemo(() => choose(jobs ?? [], state, text), [jobs, state, text]);
  return (
    <div className="page">
      <div className="head">
        <h1>Jobs</h1>
        <div className="row wrap">
          <Choice of={states} chosen={state} onChoose={(each) => set({ state: each === "all" ? "" : each })} />
          <button type="button" className="chip" aria-pressed={mine} onClick={() => set({ mine: mine ? "" : "yes" })}>
            mine
          </button>
          <input
            className="input"
            style={{ width: 200 }}
            aria-label="Filter by name, account or user"
            placeholder="Name, account, user"
            value={text}
            onChange={(event) => set({ text: event.target.value })}
          />
        </div>
      </div>
      <Card flush title={jobs === undefined ? "Jobs" : `${spellNumber(shown.length)} of ${spellNumber(jobs.length)}`}>
        {jobs === undefined ? (
          <div className="body">
            <Skeleton lines={8} />
          </div>
        ) : shown.length === 0 ? (
          <Empty title="No jobs here" command="npx tess run --gpus 1 -- echo hello">
            {me.may.includes("job.submit") && (
              <ButtonLink href="/new" kind="primary">
                New job
              </ButtonLink>
            )}
          </Empty>
        ) : (
          <Rows
            label="Jobs"
            items={shown}
            columns={columns}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/jobs/${id}`}
            height="calc(100vh - 220px)"
          />
        )}
      </Card>
    </div>
  );
}

function choose(jobs: readonly Job[], state: (typeof states)[number], text: string): Job[] {
  const wanted = text.trim().toLowerCase();
  const fits = (job: Job) => {
    if (
      state === "running"
        ? !["running", "starting", "stopping"].includes(job.state)
        : state !== "all" && job.state !== state
    )
      return false;
    return wanted === "" || `${job.name} ${job.project} ${job.userName ?? ""} ${job.id}`.toLowerCase().includes(wanted);
  };
  return jobs.filter(fits).sort((a, b) => (a.submittedAt < b.submittedAt ? 1 : a.submittedAt > b.submittedAt ? -1 : 0));
}
