interface ChoiceProps<Value extends string | number> {
  readonly of: readonly Value[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
  /** The text of a value, where it is not the value itself. */
  readonly word?: (value: Value) => string;
}

/** One of a few, as chips in a row. */
export function Choice<Value extends string | number>({ of, chosen, onChoose, word = String }: ChoiceProps<Value>) {
  return of.map((value) => (
    <button key={value} type="button" className="chip" aria-pressed={chosen === value} onClick={() => onChoose(value)}>
      {word(value)}
    </button>
  ));
}
