/**
 * The text that all stores can hold alike. PostgreSQL has no U+0000 and no store has half of a surrogate pair, and a
 * name that someone sent us must not be able to fail a commit: such characters become visible stand-ins.
 * (The journal itself is bytes and is not touched.)
 */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}
