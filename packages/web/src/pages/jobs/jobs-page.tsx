import type { Job, QueryOf } from "@tessera/wire";
import { useMemo } from "react";
import { useMe } from "../../api/me.tsx";
import { usePages } from "../../api/use-pages.ts";
import { Choice } from "../../design/choice.tsx";
import { ButtonLink, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { Rows } from "../../design/rows.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { count } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { useSelection } from "../../table/selection.ts";
import { useTableLook } from "../../table/use-table-look.tsx";
import { Views } from "../../table/views.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import {
  costColumn,
  gpusColumn,
  idColumn,
  labelsColumn,
  nameColumn,
  priorityColumn,
  projectColumn,
  ranColumn,
  reasonColumn,
  sinceColumn,
  stateColumn,
  submittedColumn,
  userColumn,
  waitedColumn,
} from "./job-columns.tsx";

const everyMs = 3_000;
const sorts = ["submitted", "name", "project", "user", "gpus", "priority", "state"].flatMap(
  (name) => [name, `-${name}`] as NonNullable<QueryOf<"listJobs">["sort"]>[],
);
const states = ["all", "waiting", "running", "ended", "failed"] as const;
/** What the server calls them, where it has another word. */
const wireStates = { running: "active", failed: "unsuccessful" } as const;
const columns = [
  nameColumn,
  projectColumn,
  userColumn,
  gpusColumn,
  stateColumn,
  sinceColumn,
  { ...reasonColumn, usual: false },
  priorityColumn,
  submittedColumn,
  waitedColumn,
  ranColumn,
  costColumn,
  labelsColumn,
  idColumn,
];
const keyOf = ({ id }: Job) => id;
const noJobs: readonly Job[] = [];

/** Every job that may be seen, newest first; filter, order and columns are in the address. */
export function JobsPage() {
  const me = useMe();
  const [params, set] = useAddress();
  const account = useAccount();
  const state = states.find((each) => each === params.get("state")) ?? "all";
  const mine = params.get("mine") === "yes";
  const text = params.get("text") ?? "";
  const label = params.get("label") ?? "";
  const look = useTableLook(columns);
  const sort = sorts.find((each) => each === params.get("sort"));
  const query = {
    state: state === "running" || state === "failed" ? wireStates[state] : state,
    count: true,
    limit: 100,
    ...(account !== "" && { project: account }),
    ...(mine && { user: me.user }),
    ...(text !== "" && { text }),
    ...(label !== "" && { label }),
    ...(sort !== undefined && { sort }),
    ...(look.shown.includes(costColumn) && { cost: true }),
  } as const;
  const { items: jobs, total, more } = usePages("listJobs", query, everyMs);
  const keys = useMemo(() => (jobs ?? noJobs).map(keyOf), [jobs]);
  const selection = useSelection(keys);
  return (
    <div className="page">
      <div className="head">
        <h1>Jobs</h1>
        <div className="row wrap">
          <Choice of={states} chosen={state} onChoose={(each) => set({ state: each === "all" ? "" : each })} />
          <button type="button" className="chip" aria-pressed={mine} onClick={() => set({ mine: mine ? "" : "yes" })}>
            mine
          </button>
          <TypedText
            label="Filter by name, account or user"
            hint="Name, account, user"
            width={200}
            value={text}
            onTyped={(typed) => set({ text: typed })}
          />
          <TypedText
            label="Filter by label"
            hint="Label, such as sweep=lr"
            width={170}
            value={label}
            onTyped={(typed) => set({ label: typed.trim() })}
          />
          {look.choice}
        </div>
      </div>
      <Views />
      <Card flush title={total === undefined ? "Jobs" : count(total, "job")}>
        {jobs === undefined ? (
          <div className="body">
            <Skeleton lines={8} />
          </div>
        ) : jobs.length === 0 && more === undefined ? (
          <Empty title="No jobs here" command="npx tess run --gpus 1 -- echo hello">
            {me.may.includes("job.submit") && (
              <ButtonLink href="/new" kind="primary">
                New job
              </ButtonLink>
            )}
          </Empty>
        ) : (
          <div className="over-rows">
            {selection.chosen.size > 0 && (
              <BulkBar jobs={jobs.filter(({ id }) => selection.chosen.has(id))} onDone={selection.clear} />
            )}
            <Rows
              label="Jobs"
              items={jobs}
              columns={look.shown}
              keyOf={keyOf}
              sort={sort ?? "-submitted"}
              onSort={(next) => set({ sort: next })}
              tight={look.tight}
              {...(me.may.includes("job.control") && { selection })}
              hrefOf={({ id }) => `/jobs/${id}`}
              height="calc(100vh - 220px)"
              onEnd={more}
            />
          </div>
        )}
      </Card>
    </div>
  );
}
