import { useCall } from "../../api/use-call.ts";
import { SelectField } from "../../design/select.tsx";

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
    <SelectField
      label="Engine"
      wrong={wrong}
      value={engine}
      of={[["", "any"], ...engines.map(({ name }) => name)]}
      onChange={onChoose}
    />
  );
}
