/**
 * Source text with comments, the text of strings and regular expressions taken out, line ends kept. A string literal
 * becomes `"<n>"`, where n is its place in `strings`, so that words inside it cannot be taken for code.
 */
export function scan(source) {
  const strings = [];
  let code = "";
  let at = 0;
  /** For each open template expression the depth of its braces. */
  const templates = [];
  const keepLines = (text) => text.replace(/[^\n]/g, "");

  const templateText = () => {
    while (at < source.length) {
      if (source[at] === "\\") at += 2;
      else if (source[at] === "`") {
        at += 1;
        code += "`";
        return;
      } else if (source.startsWith("${", at)) {
        at += 2;
        code += "${";
        templates.push(0);
        return;
      } else {
        code += keepLines(source[at]);
        at += 1;
      }
    }
  };

  while (at < source.length) {
    const char = source[at];
    if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end === -1 ? source.length : end;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      const stop = end === -1 ? source.length : end + 2;
      code += ` ${keepLines(source.slice(at, stop))}`;
      at = stop;
    } else if (char === '"' || char === "'") {
      let end = at + 1;
      while (end < source.length && source[end] !== char && source[end] !== "\n") end += source[end] === "\\" ? 2 : 1;
      strings.push(source.slice(at + 1, end));
      code += `"${strings.length - 1}"`;
      at = end + 1;
    } else if (char === "`") {
      code += "`";
      at += 1;
      templateText();
    } else if (templates.length > 0 && char === "}" && templates.at(-1) === 0) {
      templates.pop();
      code += "}";
      at += 1;
      templateText();
    } else if (char === "/" && beginsPattern(code)) {
      at = patternEnd(source, at);
      code += "/ /";
    } else {
      if (templates.length > 0 && char === "{") templates[templates.length - 1] += 1;
      if (templates.length > 0 && char === "}") templates[templates.length - 1] -= 1;
      code += char;
      at += 1;
    }
  }
  return { code, strings };
}

/** After a value a slash divides; elsewhere it opens a regular expression. */
function beginsPattern(before) {
  const text = before.trimEnd();
  if (text === "") return true;
  if (/\b(return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/.test(text)) return true;
  return !/[\w$)\]}"'`/]$/.test(text);
}

function patternEnd(source, start) {
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at += 1;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) {
      let end = at + 1;
      while (/[a-z]/.test(source[end] ?? "")) end += 1;
      return end;
    } else if (char === "\n") return at;
  }
  return source.length;
}

/** The modules that a source imports, re-exports or loads, with the line of each. */
export function importsOf(source) {
  const { code, strings } = scan(source);
  const found = [];
  for (const match of code.matchAll(/(?<![.\w$])(?:from|import(?:\s*\()?)\s*"(\d+)"/g)) {
    found.push({ specifier: strings[Number(match[1])], line: lineAt(code, match.index) });
  }
  return found;
}

/** The number of the line that holds this offset. */
export function lineAt(text, offset) {
  return text.slice(0, offset).split("\n").length;
}
