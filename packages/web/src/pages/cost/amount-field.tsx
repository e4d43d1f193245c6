import { Field } from "../../design/parts.tsx";
import { type ReadMoney, spellMoney } from "../../format/money.ts";

interface AmountFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** What the text is read as; null for an empty text that has a meaning of its own. */
  readonly read: ReadMoney | null;
  /** Absent while it is not known: the amount is not echoed then. */
  readonly currency: string | undefined;
  /** What the amount means, said after it: `a month`. */
  readonly means?: string;
  readonly onChange: (value: string) => void;
}

/** A field for an amount of money that says what it understood, or what to type instead. */
export function AmountField({ label, hint, value, read, currency, means = "", onChange }: AmountFieldProps) {
  const wrong = read !== null && "wrong" in read ? read.wrong : undefined;
  const echo =
    read !== null && "micros" in read && currency !== undefined
      ? `= ${spellMoney(read.micros, currency)} ${means}`
      : hint;
  return (
    <Field label={label} wrong={wrong} hint={echo.trim()}>
      {(props) => (
        <input
          {...props}
          className="input"
          inputMode="decimal"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
