import { codeBlocks, codeSpans } from "./markdown.js";

/** The commands of `program` that a document shows, each as its words: in blocks where a line is typed, and in text. */
export function shownCommands(text, program) {
  const start = new RegExp(`(?:^|[\\s(])(?:npx )?${program} (?=[a-z-])`);
  const typed = codeBlocks(text).flatMap(({ language, code }) => {
    const lines = code.split("\n");
    if (language === "console") return lines.flatMap((line) => /^\w* ?\$ (.*)$/.exec(line)?.[1] ?? []);
    return language === "sh" ? lines : [];
  });
  return [...typed, ...codeSpans(text)].flatMap((line) => {
    const match = start.exec(line);
    return match === null ? [] : [wordsOf(line.slice(match.index + match[0].length))];
  });
}

/** The words of a shell line as far as they matter here: quoted text is one word, the line ends at a pipe or comment. */
function wordsOf(line) {
  const words = line.match(/'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'"]+/g) ?? [];
  const end = words.findIndex((word) => /^(#|\||>|&|;)/.test(word));
  return end < 0 ? words : words.slice(0, end);
}
