import type { SelectHTMLAttributes } from "react";
import { Field } from "./parts.tsx";

/** A value, with its words where they are others. */
type Option = string | readonly [value: string, words: string];

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "value" | "children"> {
  readonly value: string;
  readonly of: readonly Option[];
  /** What can be read but not chosen, and why not. */
  readonly shut?: { readonly why: string; readonly of: readonly string[] };
  readonly onChange: (value: string) => void;
}

/**
 * One of a few values. A value that is not offered, such as one kept, typed or linked to before the offer was there,
 * is shown as it is: the browser alone would show another in its place.
 */
export function Select({ value, of, shut, onChange, className = "", ...rest }: SelectProps) {
  const offered = of.map((option): readonly [string, string] =>
    typeof option === "string" ? [option, option] : option,
  );
  const isOther = value !== "" && !offered.some(([each]) => each === value) && !shut?.of.includes(value);
  return (
    <select {...rest} className={`input ${className}`} value={value} onChange={(event) => onChange(event.target.value)}>
      {offered.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
      {isOther && <option value={value}>{value}</option>}
      {shut !== undefined && shut.of.length > 0 && (
        <optgroup label={shut.why}>
          {shut.of.map((each) => (
            <option key={each} value={each} disabled>
              {each}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly wrong?: string | undefined;
  readonly value: Value;
  /** Each value with its words, in order. */
  readonly of: Readonly<Record<Value, string>> | readonly Option[];
  readonly shut?: SelectProps["shut"];
  readonly disabled?: boolean;
  readonly onChange: (value: Value) => void;
}

/** The same with its label, its hint and what is wrong with it. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, wrong, of, onChange, ...rest } = props;
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(about) => (
        <Select
          {...about}
          {...rest}
          of={isList(of) ? of : Object.entries<string>(of)}
          onChange={(value) => onChange(value as Value)}
        />
      )}
    </Field>
  );
}

// Array.isArray does not narrow a readonly array.
const isList = (of: object): of is readonly Option[] => Array.isArray(of);
