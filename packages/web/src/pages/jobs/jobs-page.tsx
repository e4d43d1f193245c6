import type { Job, QueryOf } from "@tessera/wire";
import { useMe } from "../../api/me.tsx";
import { usePages } from "../../api/use-pages.ts";
import { Choice } from "../../design/choice.tsx";
import { ButtonLink, Empty } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { useLook } from "../../table/look.tsx";
import { Paged } from "../../table/paged.tsx";
import { useSelection } from "../../table/selection.ts";
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
  startedColumn,
  stateColumn,
  submittedColumn,
  userColumn,
  waitedColumn,
} from "./job-columns.tsx";
import { askedState, outcomeWords, stateNames } from "./job-states.ts";

const everyMs = 3_000;
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
  startedColumn,
  waitedColumn,
  ranColumn,
  costColumn,
  labelsColumn,
  idColumn,
];
const usualSort = "-submitted";
const filters = ["state", "outcome", "mine", "text", "label"];
const keyOf = ({ id }: Job) => id;
const nameOf = ({ name }: Job) => name;
const hrefOf = ({ id }: Job) => `/jobs/${id}`;

/** Every job that may be seen, newest first; filter, order and columns are in the address. */
export function JobsPage() {
  const me = useMe();
  const [params, set] = useAddress();
  const account = useAccount();
  const outcome = params.get("outcome") ?? "";
  const state = stateNames.find((each) => each === params.get("state")) ?? "all";
  const mine = params.get("mine") === "yes";
  const text = params.get("text") ?? "";
  const label = params.get("label") ?? "";
  const { look, shown, choice } = useLook(columns, { usualSort });
  const query: QueryOf<"listJobs"> = {
    state: askedState(state, outcome),
    ...(account !== "" && { project: account }),
    ...(mine && { user: me.user }),
    ...(text !== "" && { text }),
    ...(label !== "" && { label }),
    ...(look.sort !== usualSort && { sort: look.sort as NonNullable<QueryOf<"listJobs">["sort"]> }),
  };
  const priced = shown.includes(costColumn) && { cost: true };
  const list = usePages("listJobs", { ...query, ...priced, count: true, limit: 100 }, everyMs);
  const { sort: _, ...about } = query;
  const selection = useSelection<Job>(JSON.stringify(about));
  const change = (values: Readonly<Record<string, string>>) => set(values, { push: true });
  return (
    <div className="page">
      <div className="head">
        <h1>Jobs</h1>
        <div className="row wrap">
          <Choice
            of={stateNames}
            chosen={outcome === "" ? state : ""}
            onChoose={(each) => change({ state: each === "all" ? "" : each, outcome: "" })}
          />
          <Select
            style={{ width: 150 }}
            aria-label="Outcome"
            value={outcome}
            of={[["", "any outcome"], ...Object.entries(outcomeWords)]}
            onChange={(next) => change({ outcome: next, state: "" })}
          />
          <button
            type="button"
            className="chip"
            aria-pressed={mine}
            onClick={() => change({ mine: mine ? "" : "yes" })}
          >
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
            onTyped={(typed) => set({ label: typed })}
          />
          {choice}
        </div>
      </div>
      <Views filters={filters} />
      <Paged
        list={list}
        noun={["job", "jobs"]}
        filters={filters}
        empty={
          <Empty title="No jobs here" command="npx tess run --gpus 1 -- echo hello">
            {me.may.includes("job.submit") && (
              <ButtonLink href="/new" kind="primary">
                New job
              </ButtonLink>
            )}
          </Empty>
        }
        over={selection.keys.size > 0 && <BulkBar selection={selection} query={query} total={list.total} />}
        table={{
          label: "Jobs",
          columns,
          look,
          keyOf,
          nameOf,
          hrefOf,
          about: JSON.stringify(about),
          height: "calc(100vh - 220px)",
          ...(me.may.includes("job.control") && { selection }),
        }}
      />
    </div>
  );
}
