import { useAccounts } from "../../api/use-accounts.ts";
import { useCall } from "../../api/use-call.ts";
import { useWhyNot } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Field } from "../../design/parts.tsx";
import { inZone } from "../../format/times.ts";
import { EngineField } from "./engine-field.tsx";
import { gpusOf, partsOfGpus } from "./job-file.ts";

interface FormProps {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly wrong: { readonly field?: string; readonly detail: string } | undefined;
  readonly set: (field: string, value: unknown) => void;
}

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
  const gpus = partsOfGpus(fields.gpus);
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
      <Field
        label="Account"
        wrong={wrongAt("project")}
        {...(firstShut !== undefined && { hint: `Jobs of ${firstShut.path}: ${whyShut}` })}
      >
        {(props) => (
          <select
            {...props}
            className="input"
            value={text("project")}
            onChange={(event) => set("project", event.target.value)}
          >
            <option value="">default</option>
            {open.map(({ path }) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
            {shut.length > 0 && (
              <optgroup label="Not for your role">
                {shut.map(({ path }) => (
                  <option key={path} value={path} disabled>
                    {path}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        )}
      </Field>
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
        <Field label="GPUs" wrong={wrongAt("gpus")} hint="per member; 0.25 is a part of a GPU">
          {(props) => (
            <input
              {...props}
              className="input"
              inputMode="decimal"
              value={gpus.count}
              onChange={(event) => set("gpus", gpusOf(gpus.model, event.target.value))}
            />
          )}
        </Field>
        <Field label="Model">
          {(props) => (
            <select
              {...props}
              className="input"
              value={gpus.model}
              onChange={(event) => set("gpus", gpusOf(event.target.value, gpus.count || "1"))}
            >
              <option value="">any</option>
              {models.map((model) => (
                <option key={model}>{model}</option>
              ))}
            </select>
          )}
        </Field>
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
        <Field label="All members in one" wrong={wrongAt("topology")}>
          {(props) => (
            <select
              {...props}
              className="input"
              value={text("topology")}
              onChange={(event) => set("topology", event.target.value)}
            >
              <option value="">anywhere</option>
              {["node", "nvlink", "rack", "block", "zone", "region"].flatMap((level) => [
                <option key={level} value={level}>
                  {level}
                </option>,
                <option key={`${level}?`} value={`${level}?`}>
                  {level}, if possible
                </option>,
              ])}
            </select>
          )}
        </Field>
        <Field label="Priority" wrong={wrongAt("priority")}>
          {(props) => (
            <select
              {...props}
              className="input"
              value={text("priority")}
              onChange={(event) => set("priority", event.target.value)}
            >
              <option value="">normal</option>
              <option>low</option>
              {!["", "normal", "low", "high"].includes(text("priority")) && <option>{text("priority")}</option>}
              <option>high</option>
            </select>
          )}
        </Field>
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
      {wrong !== undefined && <p className="wrong-text small">{inZone(wrong.detail)}</p>}
    </div>
  );
}
