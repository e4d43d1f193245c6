import { useEffect, useRef, useState } from "react";

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

/** A field whose text is told once typing pauses, without the spaces around it. */
export function TypedText({ label, hint, width, value, onTyped }: TypedProps) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // What the field itself has told is not put back into it: a space that was typed on would vanish.
    if (value !== told.current) setTyped(value);
    told.current = value;
  }, [value]);
  const text = typed.trim();
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      told.current = text;
      onTyped(text);
    }, typedMs);
    return () => clearTimeout(timer);
  }, [text, value, onTyped]);
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
