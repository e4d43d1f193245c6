import { Choice } from "../../design/choice.tsx";
import { withField } from "./job-file.ts";
import { type Fields, type Origin, withDefaults, withoutDefaults } from "./rerun.ts";

const sizes = ["short", "whole"] as const;
const sizeWords = { short: "only what differs from the defaults", whole: "whole file" } as const;

interface SizeProps {
  readonly text: string;
  readonly fields: Fields;
  readonly origin: Origin;
  readonly onText: (text: string) => void;
}

/** Whether the file says what every job has anyway; comments and changes stay. */
export function SizeChoice({ text, fields, origin: { defaults }, onText }: SizeProps) {
  const short = withoutDefaults(fields, defaults);
  const size = Object.keys(short).length === Object.keys(fields).length ? "short" : "whole";
  const choose = (next: (typeof sizes)[number]) => {
    const wanted = next === "short" ? short : withDefaults(fields, defaults);
    const without = Object.keys(fields).filter((field) => !(field in wanted));
    const cut = without.reduce((written, field) => withField(written, field, undefined), text);
    const added = Object.entries(wanted).filter(([field]) => !(field in fields));
    onText(added.reduce((written, [field, value]) => withField(written, field, value), cut));
  };
  return (
    <section className="row wrap size-choice" aria-label="How much of the file is written">
      <Choice of={sizes} chosen={size} onChoose={choose} word={(each) => sizeWords[each]} />
    </section>
  );
}
