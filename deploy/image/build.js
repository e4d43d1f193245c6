import { createReadStream, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";
import { writeImage } from "../../scripts/kubernetes/lab/real/image.js";
import { orExplain } from "../../scripts/launch/launch.js";
import { imageConfig, tesseraFolder } from "./rootfs.js";

const usage = `npm run image: the image of Tessera, server and agent in one, as an OCI archive; no registry and no container tool is needed

  --out FILE    where to write it (default: tessera-image.tar)
  --name NAME   its name (default: localhost/tessera:1)
  --json        figures as one JSON object

Give it to a node with: ctr -n k8s.io images import FILE`;

async function main() {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: "tessera-image.tar" },
      name: { type: "string", default: "localhost/tessera:1" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const archive = resolve(values.out);
  const folder = tesseraFolder();
  try {
    writeImage({ name: values.name, folder, archive, config: imageConfig });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const bytes = statSync(archive).size;
  const figures = { name: values.name, archive, bytes, gzipBytes: await compressedSize(archive) };
  const mebibytes = (count) => `${Math.round(count / 2 ** 20)} MiB`;
  console.log(
    values.json
      ? JSON.stringify(figures)
      : `${values.name}: ${archive}, ${mebibytes(bytes)} (${mebibytes(figures.gzipBytes)} compressed)`,
  );
}

/** What a registry would send. */
async function compressedSize(file) {
  let bytes = 0;
  const gzip = createGzip({ level: 6 }).on("data", (part) => {
    bytes += part.length;
  });
  await pipeline(createReadStream(file), gzip);
  return bytes;
}

await orExplain(main);
