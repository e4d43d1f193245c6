import { prepareWorld, rows } from "./rows.js";
import { World } from "./world.js";

const head = `# Bad input, and what is answered

What people typed in their first hour, and today's answers. Every row is typed against a real server by a test, which compares it with this
page; \`npm run docs:bad-input\` writes the page again. Job files are run with \`tess run -d job.yaml\`; where nothing else is shown they also say
\`run: train\`. Ids, ports, times and folders are left out. With \`-o json\` the same comes as JSON, mistakes as \`error.problems\`.

| # | input | answer | exit |
|---|---|---|---|
`;

/** Types everything and answers the page. */
export async function pageOf(folder) {
  const world = new World(folder);
  try {
    await world.start();
    await prepareWorld(world);
    const lines = [];
    for (const row of rows) {
      if (row.tests !== undefined) lines.push(referenceLine(row));
      else for (const [index, each] of row.cases.entries()) lines.push(await caseLine(world, row, each, index));
    }
    return `${head}${lines.join("\n")}\n`;
  } finally {
    await world.stop();
  }
}

function referenceLine({ number, input, answer, tests }) {
  const links = tests.map(({ file }) => ` ([test](../${file}))`).join("");
  return `| ${number} | ${input} | ${answer}${links} | |`;
}

async function caseLine(world, { number, input }, { shown, act }, index) {
  const { text, code } = await act(world);
  const lines = settled(text, world);
  const first = index === 0 ? `${input}<br>` : "";
  return `| ${index === 0 ? number : ""} | ${first}${cell(shown)} | ${lines.map(codeOf).join("<br>")} | ${code} |`;
}

/** Without what differs from one time to the next. */
function settled(text, world) {
  return text
    .replaceAll(world.work, "~")
    .replaceAll(world.folder, "…")
    .replaceAll(new RegExp(`\\b${world.port}\\b`, "g"), "PORT")
    .replaceAll(/\b(job|tok|usr|req|acc)_[a-z0-9]{8,}/g, "$1_…")
    .replaceAll(/--port [1-9]\d+/g, "--port N")
    .replaceAll(/user \d+/g, "user UID")
    .replaceAll(/process \d+/g, "process PID")
    .replaceAll(/after \d+(\.\d+)? ?m?s/g, "after …")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, (time) => (time.startsWith("2020") ? time : "TIME"))
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^ *request req_/.test(line) && !/^\[[\d.]+s\]/.test(line));
}

function codeOf(line) {
  const indent = /^ */.exec(line)[0].length;
  const text = line.trim();
  const ticks = text.includes("`") ? "``" : "`";
  return `${"&nbsp;".repeat(indent)}${ticks}${cell(text)}${ticks}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}
