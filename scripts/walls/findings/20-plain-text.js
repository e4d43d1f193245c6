import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../launch/root.js";

const onOne = ({ name }) => name === "root/unshare" || name === "user/none";
const cli = join(root, "packages/cli/dist/main.js");

export const checks = [
  {
    finding: 20,
    name: "terminal escapes in a log",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const title = "\\033]0;stolen\\007\\033]52;c;ZXZpbA==\\007\\033[2J";
        const line = `printf 'before ${title} \\033[32mgreen\\033[0m after\\n'`;
        await server.tess("run", "--name", "drawer", "--", line);
        // `script` gives it a terminal of its own.
        const words = [process.execPath, cli, "--data", server.data, "logs", "drawer"].map((word) => `'${word}'`);
        const options = { env: { PATH: process.env.PATH, HOME: server.folder, TERM: "xterm" } };
        const { stdout } = await promisify(execFile)("script", ["-qec", words.join(" "), "/dev/null"], options);
        const drawn = ["\u001b]0;", "\u001b]52;", "\u001b[2J"].filter((sign) => stdout.includes(sign));
        const kept = stdout.includes("\u001b[32mgreen") && stdout.includes("after");
        return { held: drawn.length === 0 && kept, seen: JSON.stringify(stdout.trim().slice(0, 120)) };
      } finally {
        await server.close();
      }
    },
  },
  {
    finding: 20,
    name: "formulas in a CSV file of the command line",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        await server.tess("account", "create", "lab");
        await server.tess("node", "cordon", "virtual-0", "--reason", "=HYPERLINK(0)");
        const csv = await server.tess("get", "nodes", "-o", "csv");
        const found = csv.split("\n").find((row) => row.includes("HYPERLINK")) ?? "";
        return { held: found !== "" && !/(^|,)"?=/.test(found), seen: found.slice(0, 120) };
      } finally {
        await server.close();
      }
    },
  },
  {
    finding: 20,
    name: "a price list back-dated by one person",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const list = (id, from) => ({ id, from, tz: "UTC", currency: "EUR", gpus: [] });
        const rates = [{ model: "*", reservedMicros: 1_000_000, burstMicros: 1_000_000 }];
        await server.tess("price", "add", server.file("a.json", { ...list("a", "2020-01-01T00:00"), gpus: rates }));
        const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16);
        const put = { ...list("b", yesterday), gpus: rates };
        const { status, json } = await server.api("POST", "/v1/prices", put);
        return { held: status === 409, seen: `${status} ${json?.detail ?? ""}` };
      } finally {
        await server.close();
      }
    },
  },
];
