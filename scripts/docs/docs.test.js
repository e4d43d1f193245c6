import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import test from "node:test";
import { fieldsNotYet } from "@tessera/core";
import { JobSpecBody, waitingReasons } from "@tessera/wire";
import { Check } from "typebox/value";
import { parseAllDocuments } from "yaml";
import { turnRound } from "../../packages/cli/dist/grammar.js";
import { buildProgram } from "../../packages/cli/dist/program.js";
import { realTerminal } from "../../packages/cli/dist/real-terminal.js";
import { Session } from "../../packages/cli/dist/session.js";
import { root } from "../launch/root.js";
import { shownCommands } from "./commands.js";
import { anchors, codeBlocks, markdownFiles, readMarkdown, relativeLinks } from "./markdown.js";

const files = markdownFiles(root);
/** Without the page of what programs answer: it is written by a script, and shows no commands to type. */
const shown = files.filter((file) => file !== "docs/bad-input.md");
const session = new Session(realTerminal());

/** What the server's own programs say of themselves; the CLI hands them everything. */
const usages = { server: usageOf("main"), helper: usageOf("helper"), admin: usageOf("admin") };

function usageOf(program) {
  const path = join(root, "packages/server/dist", `${program}.js`);
  return spawnSync(process.execPath, [path, "--help"], { encoding: "utf8" }).stdout;
}

/** Undefined when the CLI has the command and its flags, else what it does not have. */
async function unknownIn(words) {
  if (Object.hasOwn(usages, words[0])) return unknownToServer(words);
  const args = turnRound(words.includes("--") ? words.slice(0, words.indexOf("--")) : words);
  const program = await buildProgram(args, session);
  const named = (command, word) =>
    command.commands.find((each) => each.name() === word || each.aliases().includes(word));
  let command = program;
  for (const word of args.filter((each) => !each.startsWith("-"))) {
    const next = named(command, word);
    if (next !== undefined) command = next;
    else if (command.commands.length > 0) return `no ${word}`;
    if (next === undefined) break;
  }
  const known = [...command.options, ...program.options].flatMap(({ short, long }) => [short, long]);
  const flags = args.filter((word) => /^--?[a-zA-Z]/.test(word)).map((word) => word.split("=")[0]);
  return flags.find((flag) => !known.includes(flag) && flag !== "--help");
}

function unknownToServer([program, ...words]) {
  const usage = usages[program];
  const verb = words.find((word) => !word.startsWith("-"));
  if (program === "admin" && verb !== undefined && !usage.includes(`\n  ${verb} `)) return `no ${verb}`;
  return words.find((word) => word.startsWith("-") && word !== "--help" && !usage.includes(word));
}

test("every tess command in the documents exists, with its flags", async () => {
  let seen = 0;
  for (const file of shown) {
    for (const words of shownCommands(readMarkdown(root, file), "tess")) {
      seen += 1;
      assert.equal(await unknownIn(words), undefined, `${file}: tess ${words.join(" ")}`);
    }
  }
  assert.ok(seen > 50, `only ${seen} commands were found`);
});

test("a command or flag that does not exist is found", async () => {
  assert.equal(await unknownIn(["frobnicate"]), "no frobnicate");
  assert.equal(await unknownIn(["account", "paint", "lab"]), "no paint");
  assert.equal(await unknownIn(["run", "--gpu", "1", "--", "x", "--fine"]), "--gpu");
  assert.equal(await unknownIn(["admin", "repair"]), "no repair");
  assert.equal(await unknownIn(["server", "--colour"]), "--colour");
});

test("every package says in a README what it is for", () => {
  for (const name of readdirSync(join(root, "packages"))) {
    const file = join(root, "packages", name, "README.md");
    assert.ok(existsSync(file) && readFileSync(file, "utf8").startsWith("# "), `packages/${name} has no README.md`);
  }
});

test("every npm script in the documents exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const file of shown) {
    for (const words of shownCommands(readMarkdown(root, file), "npm")) {
      const [verb, script] = words;
      if (["ci", "install", "config"].includes(verb)) continue;
      assert.ok((verb === "run" ? script : verb) in scripts, `${file}: npm ${words.join(" ")}`);
    }
  }
});

test("every relative link leads somewhere", () => {
  for (const file of files) {
    const text = readMarkdown(root, file);
    for (const link of relativeLinks(text)) {
      const [path, anchor] = link.split("#");
      const target = path === "" ? file : normalize(join(dirname(file), path));
      assert.ok(existsSync(join(root, target)), `${file}: ${link}`);
      if (anchor !== undefined) assert.ok(anchors(readMarkdown(root, target)).includes(anchor), `${file}: ${link}`);
    }
  }
});

test("every job file in the documents has the shape of one", () => {
  let seen = 0;
  for (const file of files.filter((each) => each === "README.md" || each.startsWith("docs/"))) {
    for (const { code } of codeBlocks(readMarkdown(root, file)).filter(({ language }) => language === "yaml")) {
      for (const document of parseAllDocuments(code)) {
        seen += 1;
        assert.ok(Check(JobSpecBody, document.toJS()), `${file}:\n${code}`);
      }
    }
  }
  assert.ok(seen > 0);
});

test("docs/jobs.md tells of every field of a job, and says of each whether it works", () => {
  const text = readMarkdown(root, "docs/jobs.md");
  const [works, refused] = text.split("## Known, and refused for now");
  const engineless = ["image", "gpu_compute"];
  for (const field of Object.keys(JobSpecBody.properties)) {
    if (fieldsNotYet.includes(field) || engineless.includes(field)) {
      assert.match(refused, new RegExp(`\`${field}\``), `${field} is refused`);
    } else {
      assert.match(works, new RegExp(`^\\| \`${field}\` \\|`, "m"), `${field} works`);
    }
  }
});

test("docs/explain.md lists the waiting reasons as the CLI and the console word them", () => {
  const rows = Object.entries(waitingReasons).map(([kind, { meaning }]) => `| \`${kind}\` | ${meaning} |`);
  const table = ["| reason | meaning |", "|---|---|", ...rows].join("\n");
  assert.ok(readMarkdown(root, "docs/explain.md").includes(`\n${table}\n`), `docs/explain.md must hold:\n${table}`);
});
