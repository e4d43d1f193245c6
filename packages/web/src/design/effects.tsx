/** One thing that follows from an act. */
export interface Effect {
  readonly text: string;
  /** It takes something from someone. */
  readonly bad: boolean;
}

/** What follows from an act, before it is done. */
export function Effects({ of }: { of: readonly Effect[] }) {
  return (
    <ul className="effects">
      {of.map(({ text, bad }) => (
        <li key={text} className={bad ? "bad" : "fine"}>
          {text}
        </li>
      ))}
    </ul>
  );
}
