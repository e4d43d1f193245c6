import { useState } from "react";
import { Field } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { gpusOf, listOfGpus, partsOfGpus, readCount, writeCount } from "./job-file.ts";

interface GpusProps {
  /** As the file has them. */
  readonly gpus: unknown;
  /** Of the fleet. */
  readonly models: readonly string[];
  readonly wrong: string | undefined;
  readonly set: (gpus: unknown) => void;
}

/** How many GPUs each member asks for, and of which model. */
export function GpusFields({ gpus, models, wrong, set }: GpusProps) {
  /** What was typed, as long as the file has what was made of it: `0,` on the way to `0,5`. */
  const [typed, setTyped] = useState<{ readonly text: string; readonly made: unknown }>();
  const { model, count } = partsOfGpus(gpus);
  const list = listOfGpus(gpus);
  const text = typed !== undefined && typed.made === gpus ? typed.text : writeCount(count);
  const read = readCount(text);
  const type = (next: string) => {
    const now = readCount(next);
    // What cannot be read must not be taken for the count before it, nor for another one.
    const made = "count" in now ? gpusOf(model, now.count) : `${model}:`;
    setTyped({ text: next, made });
    set(made);
  };
  const isList = list !== undefined;
  return (
    <>
      <Field
        label="GPUs"
        wrong={"wrong" in read ? read.wrong : wrong}
        hint={isList ? "a list: edit it in the file" : `per member; ${spellNumber(0.25)} is a part of a GPU`}
      >
        {(props) => (
          <input
            {...props}
            className="input"
            inputMode="decimal"
            readOnly={isList}
            value={list ?? text}
            onChange={(event) => type(event.target.value)}
          />
        )}
      </Field>
      <SelectField
        label="Model"
        disabled={isList}
        value={isList ? "" : model}
        of={[["", isList ? "in the list" : "any"], ...models]}
        onChange={(next) => set(gpusOf(next, count || "1"))}
      />
    </>
  );
}
