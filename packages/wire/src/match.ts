/**
 * How well a name matches what was typed: 0 the same, 1 its beginning, 2 the beginning of a part, 3 anywhere, 4 by
 * letters that begin its parts or follow each other, such as `lft3` for `llama-ft-3`; undefined = not at all.
 */
export function rankOf(name: string, text: string): number | undefined {
  const [have, typed] = [name.toLowerCase(), text.toLowerCase()];
  const at = have.indexOf(typed);
  if (at < 0) return isAbbreviated(have, typed.replaceAll(/[^a-z0-9]/g, "")) ? 4 : undefined;
  if (at === 0) return have.length === typed.length ? 0 : 1;
  return isPartBegin(have, at) && /[^a-z0-9]/.test(have[at - 1]!) ? 2 : 3;
}

/** Fewer letters would match almost everything. */
const lettersMin = 2;

/** Whether letters and digits stand in a name in this order, each at the begin of a part or right after the one before. */
function isAbbreviated(name: string, letters: string): boolean {
  if (letters.length < lettersMin || letters.length > name.length) return false;
  // Places in the name at which the letters so far can end.
  let ends: number[] = [];
  for (const [no, letter] of [...letters].entries()) {
    const next: number[] = [];
    for (let at = no; at < name.length; at++) {
      if (name[at] !== letter) continue;
      const follows = no > 0 && (ends.includes(at - 1) || (isPartBegin(name, at) && ends.some((end) => end < at)));
      if (no === 0 ? isPartBegin(name, at) : follows) next.push(at);
    }
    if (next.length === 0) return false;
    ends = next;
  }
  return true;
}

/** After anything that is no letter or digit, and where letters become digits or digits letters. */
function isPartBegin(name: string, at: number): boolean {
  const [before, here] = [name[at - 1], name[at]!];
  if (before === undefined || !/[a-z0-9]/.test(before)) return true;
  return /\d/.test(before) !== /\d/.test(here);
}
