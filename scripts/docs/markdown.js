import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const skipped = new Set(["node_modules", "dist"]);

/** Every Markdown file of the repository, as paths from its root. */
export function markdownFiles(root, folder = "") {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return skipped.has(entry.name) || entry.name.startsWith(".") ? [] : markdownFiles(root, path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

export function readMarkdown(root, path) {
  return readFileSync(join(root, path), "utf8");
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** Fenced blocks, with the language that each names. */
export function codeBlocks(text) {
  return [...text.matchAll(fence)].map(([, language, code]) => ({ language, code }));
}

/** Code inside of running text. */
export function codeSpans(text) {
  return [...text.replaceAll(fence, "").matchAll(/`([^`\n]+)`/g)].map(([, code]) => code.replaceAll("\\|", "|"));
}

/** Targets of links that point into the repository. */
export function relativeLinks(text) {
  return [...text.replaceAll(fence, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of the headings, as they are made where Markdown is shown. */
export function anchors(text) {
  return [...text.replaceAll(fence, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
