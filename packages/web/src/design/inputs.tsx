import type { InputHTMLAttributes, ReactNode } from "react";
import { instantOf, localOf, zoneName } from "../format/zone.ts";
import { Field } from "./parts.tsx";

interface About {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly wrong?: string | undefined;
}

interface TextFieldProps
  extends About,
    Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value" | "id" | "className"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A line of text with its label, its hint and what is wrong with it. */
export function TextField({ label, hint, wrong, value, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(props) => (
        <input
          autoComplete="off"
          {...rest}
          {...props}
          className="input"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface TimeFieldProps extends About {
  /** An instant; empty where there is none. */
  readonly value: string;
  readonly onChange: (at: string) => void;
}

/** A moment, typed in the zone in which times are shown, which it names. It stays the same moment in another zone. */
export function TimeField({ label, hint, wrong, value, onChange }: TimeFieldProps) {
  return (
    <Field label={`${label} (${zoneName()})`} hint={hint} wrong={wrong}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          className="input"
          value={value === "" ? "" : localOf(value)}
          onChange={(event) => onChange(instantOf(event.target.value) ?? "")}
        />
      )}
    </Field>
  );
}

/** The same act on the command line. */
export function CommandLine({ children }: { children: string }) {
  return <code className="command quiet small">{children}</code>;
}
