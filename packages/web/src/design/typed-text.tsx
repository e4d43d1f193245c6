import { useEffect, useState } from "react";

/** Typing is over: each search may read far back. */
const typedMs = 400;

/** The server takes no longer text in a filter. */
const textMax = 100;

interface TypedProps {
  readonly label: string;
  readonly hint: string;
  readonly width: number;
  readonly value: string;
  readonly onTyped: (value: string) => void;
}

/** A field whose text is told once typing pauses. */
export function TypedText({ label, hint, width, value, onTyped }: TypedProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onTyped(typed), typedMs);
    return () => clearTimeout(timer);
  }, [typed, value, onTyped]);
  return (
    <input
      className="input"
      style={{ width }}
      aria-label={label}
      placeholder={hint}
      maxLength={textMax}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
