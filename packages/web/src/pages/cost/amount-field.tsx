import { Field } from "../../design/parts.tsx";

interface AmountFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** Whether the text is an amount. */
  readonly isAmount: boolean;
  readonly onChange: (value: string) => void;
}

/** A field for an amount of money, with an error when it is not one. */
export function AmountField({ label, hint, value, isAmount, onChange }: AmountFieldProps) {
  return (
    <Field label={label} wrong={isAmount ? undefined : "Not an amount"} hint={hint}>
      {(props) => (
        <input
          {...props}
          className="input"
          inputMode="decimal"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
