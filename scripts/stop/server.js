import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openServer as openAt } from "../places/server.js";

const python = new URL("./python/", import.meta.url).pathname;

/** A real server at a place, with the scripts of its jobs in its work folder. */
export async function openServer(place) {
  const server = await openAt({ place, args: ["--virtual", "2x16:H100"], name: "tess-stop" });
  for (const file of readdirSync(python)) copyFileSync(join(python, file), join(server.work, file));
  return { ...server, get: (path, none) => get(server, path, none) };
}

/** For what is asked again and again. An answer with one of the statuses `none` is empty. */
async function get(server, path, none = []) {
  const { status, text } = await server.api("GET", path);
  if (none.includes(status)) return "";
  if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  return text;
}
