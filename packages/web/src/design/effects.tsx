/** One thing that follows from an act. */
export interface Effect {
  readonly text: string;
  /** It takes something from someone. */
  readonly bad: boolean;
}

interface EffectsProps {
  /** Empty until it is known: what is read out must stand in the page before it has words. */
  readonly of: readonly Effect[];
  /** For the button that does it, which is described by this. */
  readonly id?: string;
}

/** What follows from an act, before it is done. */
export function Effects({ of, id }: EffectsProps) {
  return (
    <div className="told" role="status" id={id}>
      {of.length > 0 && (
        <ul className="effects">
          {of.map(({ text, bad }) => (
            <li key={text} className={bad ? "bad" : "fine"}>
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
