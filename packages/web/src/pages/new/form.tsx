import { useAccounts } from "../../api/use-accounts.ts";
import { useCall } from "../../api/use-call.ts";
import { useWhyNot } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Field } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { inZone } from "../../format/times.ts";
import { EngineField } from "./engine-field.tsx";
import { GpusFields } from "./gpus-fields.tsx";

interface FormProps {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly wrong: { readonly field?: string; readonly detail: string } | undefined;
  readonly set: (field: string, value: unknown) => void;
}

const levels = ["node", "nvlink", "rack", "block", "zone", "region"];
const topologies = [
  ["", "anywhere"] as const,
  ...levels.flatMap((level) => [level, [`${level}?`, `${level}, if possible`] as const]),
];

/** The usual fields of a job, as a view of its file. */
export function Form({ fields, wrong, set }: FormProps) {
  const accounts = useAccounts();
  const open = accounts.filter((account) => mayDo("submitJob", account));
  const shut = accounts.filter((account) => !mayDo("submitJob", account));
  const [firstShut] = shut;
  const whyShut = useWhyNot({ act: "submitJob", at: firstShut?.path ?? "" }, firstShut !== undefined);
  const models = useCall("readSummary").data?.fleet.byModel.map(({ model }) => model) ?? [];
  const text = (field: string) => (fields[field] === undefined ? "" : String(fields[field]));
  const wrongAt = (field: string) => (wrong?.field?.split(".")[0] === field ? inZone(wrong.detail) : undefined);
  const whole = (value: string) => (/^\d+$/.test(value) ? Number(value) : value);
  return (
    <div className="stack tight">
      <Field label="Name" wrong={wrongAt("name")}>
        {(props) => (
          <input
            {...props}
            className="input"
            value={text("name")}
            onChange={(event) => set("name", event.target.value)}
          />
        )}
      </Field>
      <SelectField
        label="Account"
        wrong={wrongAt("project")}
        {...(firstShut !== undefined && { hint: `Jobs of ${firstShut.path}: ${whyShut}` })}
        value={text("project")}
        of={[["", "default"], ...open.map(({ path }) => path)]}
        shut={{ why: "Not for your role", of: shut.map(({ path }) => path) }}
        onChange={(project) => set("project", project)}
      />
      <Field label="Command" wrong={wrongAt("run")} hint="Shell command; runs once per member">
        {(props) => (
          <textarea
            {...props}
            className="input"
            rows={4}
            value={text("run")}
            onChange={(event) => set("run", event.target.value)}
          />
        )}
      </Field>
      <div className="fields">
        <GpusFields gpus={fields.gpus} models={models} wrong={wrongAt("gpus")} set={(gpus) => set("gpus", gpus)} />
        <Field label="Nodes" wrong={wrongAt("nodes")} hint="4, or 4..8">
          {(props) => (
            <input
              {...props}
              className="input"
              placeholder="1"
              value={text("nodes")}
              onChange={(event) => set("nodes", whole(event.target.value))}
            />
          )}
        </Field>
      </div>
      <div className="fields">
        <SelectField
          label="All members in one"
          wrong={wrongAt("topology")}
          value={text("topology")}
          of={topologies}
          onChange={(topology) => set("topology", topology)}
        />
        <SelectField
          label="Priority"
          wrong={wrongAt("priority")}
          value={text("priority")}
          of={[["", "normal"], "low", "high"]}
          onChange={(priority) => set("priority", priority)}
        />
        <Field label="Time limit" wrong={wrongAt("max_time")} hint="such as 2h30m">
          {(props) => (
            <input
              {...props}
              className="input"
              value={text("max_time")}
              onChange={(event) => set("max_time", event.target.value)}
            />
          )}
        </Field>
      </div>
      <EngineField engine={text("engine")} wrong={wrongAt("engine")} onChoose={(engine) => set("engine", engine)} />
    </div>
  );
}
