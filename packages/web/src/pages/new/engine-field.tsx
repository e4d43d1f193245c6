import { useCall } from "../../api/use-call.ts";
import { Field } from "../../design/parts.tsx";

interface EngineFieldProps {
  readonly engine: string;
  readonly wrong: string | undefined;
  readonly onChoose: (engine: string) => void;
}

/** Which engine a job is narrowed to; not asked where there is one only. */
export function EngineField({ engine, wrong, onChoose }: EngineFieldProps) {
  const engines = useCall("listEngines").data?.items ?? [];
  if (engines.length < 2 && engine === "") return null;
  return (
    <Field label="Engine" wrong={wrong}>
      {(props) => (
        <select {...props} className="input" value={engine} onChange={(event) => onChoose(event.target.value)}>
          <option value="">any</option>
          {[...new Set([...engines.map(({ name }) => name), engine])].filter(Boolean).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
