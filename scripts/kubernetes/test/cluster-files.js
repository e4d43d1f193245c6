import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../launch/root.js";
import { testImages } from "./images.js";

const built = join(root, "packages/engine-kubernetes/dist");

/**
 * Runs the tests of packages/engine-kubernetes that need a cluster: files named `….cluster.ts`, which `npm test` leaves alone.
 * They get KUBECONFIG and LAB_NODES: `kwok`, or `real` where the pods run; there also LAB_IMAGES, the names of a shell, of
 * Python and of Tessera.
 */
export async function runClusterFiles(lab, { say, nodes, only = () => true }) {
  const files = readdirSync(built, { recursive: true }).filter((name) => name.endsWith(".cluster.js") && only(name));
  if (files.length === 0) return { passed: 0, failed: 1, faults: [{ name: "tests", fault: "there are none" }] };
  const paths = files.map((name) => join(built, name));
  const words = ["--test", "--test-concurrency=1", "--enable-source-maps", "--test-reporter=tap", ...paths];
  const images = nodes === "real" ? Object.values(testImages(lab)).join(",") : "";
  const variables = { TESSERA_ROOT: root, KUBECONFIG: lab.kubeconfig, LAB_NODES: nodes, LAB_IMAGES: images };
  // Set, whatever to, it makes a test runner believe that it is a part of another.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...inherited, ...variables },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    text += part;
    for (const line of part.split("\n")) if (/^\s*not ok/.test(line)) say(line.trim());
  });
  await once(child, "close");
  return readTap(text);
}

/** The counts at the end of a report, and the names of the tests that failed. */
export function readTap(text) {
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  // What is wrong stands in the lines behind its name.
  const faults = text.split(/^(?=\s*(?:not )?ok \d)/m).flatMap(
    (block) =>
      /^\s*not ok \d+ - (.*)/
        .exec(block)
        ?.slice(1, 2)
        .map((name) => ({ name, fault: faultIn(block) })) ?? [],
  );
  const [passed, failed] = [count("pass"), count("fail") + count("cancelled")];
  // A file that ends before its first test has no counts.
  return { passed, failed: passed + failed === 0 ? 1 : failed, skipped: count("skipped"), faults };
}

function faultIn(block) {
  return /^\s*error: (.*(?:\n\s{4,}.*){0,8})/m.exec(block)?.[1] ?? "";
}
