import { commonWords } from "./common-words.ts";
import type { Person } from "./people.ts";

/** Neighbours in these lines are what fingers find by themselves. */
const lines = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "yxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "!@#$%^&*()",
];
const neighbours: ReadonlySet<string> = new Set(
  lines.flatMap((line) => [...pairsIn(line), ...pairsIn(reversed(line))]),
);

const letterOf: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "!": "i",
  "+": "t",
};

const differentMin = 5;
const repeatedPartMax = 10;
const runMin = 3;
/** Characters beside common words that do not make a password a good one: a year, a few signs. */
const besideMax = 8;
const ownWordMin = 3;

/** Why a password would be guessed soon, as the rest of a sentence; undefined when nothing is known against it. */
export function weaknessOf(password: string, person: Person | undefined): string | undefined {
  const text = password.normalize("NFKC").toLowerCase();
  if (new Set(text).size < differentMin) return `has fewer than ${differentMin} different characters`;
  if (isRepeated(text)) return "repeats one short part";
  if (isRun(text)) return "is a run of neighbouring keys, letters or digits";
  const own = ownWords(person);
  const [, head = "", core = "", tail = ""] = /^([^a-z]*)(.*?)([^a-z]*)$/s.exec(text) ?? [];
  const spellings = [text, inLetters(text), `${head}${inLetters(core)}${tail}`];
  if (spellings.some((spelled) => isLittleBeside(spelled, own))) {
    return "is little more than a name that others know";
  }
  return spellings.some(isCommon) ? "is a common password, or made of few common words" : undefined;
}

/** Digits and signs that stand for letters. */
function inLetters(text: string): string {
  return [...text].map((character) => letterOf[character] ?? character).join("");
}

function isRepeated(text: string): boolean {
  for (let length = 1; length <= Math.min(repeatedPartMax, text.length / 2); length++) {
    if (
      text ===
      text
        .slice(0, length)
        .repeat(Math.ceil(text.length / length))
        .slice(0, text.length)
    )
      return true;
  }
  return false;
}

/** All but two characters belong to runs. */
function isRun(text: string): boolean {
  let [inRuns, length] = [0, 1];
  for (let at = 1; at <= text.length; at++) {
    const pair = text.slice(at - 1, at + 1);
    if (at < text.length && (neighbours.has(pair) || pair[0] === pair[1])) length++;
    else {
      if (length >= runMin) inRuns += length;
      length = 1;
    }
  }
  return inRuns >= text.length - 2;
}

/** Common words with few other characters around and between them. */
function isCommon(text: string): boolean {
  const letters = text.replaceAll(/[^a-z]/g, "");
  const beside = text.replaceAll(/[a-z]/g, "");
  if (letters === "" || (beside.length > besideMax && !isRun(beside) && !isRepeated(beside))) return false;
  const words = wordsIn(letters);
  return words !== undefined && words <= (letters.length <= 15 ? 3 : 2);
}

/** The least number of common words that make up the text; undefined where they do not. */
function wordsIn(text: string): number | undefined {
  const least: (number | undefined)[] = [0];
  for (let end = 1; end <= text.length; end++) {
    for (let start = Math.max(0, end - 16); start < end; start++) {
      const before = least[start];
      if (before === undefined || !commonWords.has(text.slice(start, end))) continue;
      least[end] = Math.min(least[end] ?? Number.POSITIVE_INFINITY, before + 1);
    }
  }
  return least[text.length];
}

function ownWords(person: Person | undefined): string[] {
  const known = [person?.name ?? "", ...(person?.email ?? "").split(/[@.]/), "tessera"];
  return known.flatMap((each) => each.toLowerCase().split(/[^a-z0-9]+/)).filter((word) => word.length >= ownWordMin);
}

/** Whether the password is one or several of these words, with digits, signs and common words. */
function isLittleBeside(text: string, own: readonly string[]): boolean {
  const rest = own.reduce((left, word) => left.replaceAll(word, ""), text);
  if (rest === text) return false;
  const letters = rest.replaceAll(/[^a-z]/g, "");
  return rest.length - letters.length <= besideMax && (letters.length <= 3 || wordsIn(letters) !== undefined);
}

function pairsIn(line: string): string[] {
  return Array.from({ length: line.length - 1 }, (_, at) => line.slice(at, at + 2));
}

function reversed(line: string): string {
  return [...line].reverse().join("");
}
