import { useMe } from "../../api/me.tsx";
import { usePages } from "../../api/use-pages.ts";
import { Choice } from "../../design/choice.tsx";
import { ButtonLink, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { Rows } from "../../design/rows.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { count } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
import { gpusColumn, nameColumn, projectColumn, sinceColumn, stateColumn, userColumn } from "./job-columns.tsx";

const everyMs = 3_000;
const states = ["all", "waiting", "running", "ended"] as const;
const columns = [nameColumn, projectColumn, userColumn, gpusColumn, stateColumn, sinceColumn];

/** Every job that may be seen, newest first; the filter is in the address. */
export function JobsPage() {
  const me = useMe();
  const [params, set] = useAddress();
  const state = states.find((each) => each === params.get("state")) ?? "all";
  const mine = params.get("mine") === "yes";
  const text = params.get("text") ?? "";
  const query = {
    state: state === "running" ? "active" : state,
    count: true,
    limit: 100,
    ...(mine && { user: me.user }),
    ...(text !== "" && { text }),
  } as const;
  const { items: jobs, total, more } = usePages("listJobs", query, everyMs);
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
        </div>
      </div>
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
          <Rows
            label="Jobs"
            items={jobs}
            columns={columns}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/jobs/${id}`}
            height="calc(100vh - 220px)"
            onEnd={more}
          />
        )}
      </Card>
    </div>
  );
}
