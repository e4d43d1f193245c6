import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { pagePaths } from "@tessera/wire/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export type AnswerVisit = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** Where pages of the console live. Only these answer with the page; everything else that is unknown stays unknown. */
const pages = new Set(pagePaths.map((path) => path.split("/")[1]!).filter((name) => name !== ""));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Nothing from elsewhere, nothing inline, in no frame. */
const safety: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/**
 * A file of the console. They are few and small, so they stay in memory with their compressed form: a page that was
 * opened before a new build works until the server restarts.
 */
class ConsoleFile {
  readonly #type: string;
  readonly #plain: Buffer;
  #zipped: Buffer | undefined;

  constructor(path: string) {
    this.#type = types[extname(path)] ?? "application/octet-stream";
    this.#plain = readFileSync(path);
  }

  send(request: FastifyRequest, reply: FastifyReply, caching: string): FastifyReply {
    reply
      .headers(safety)
      .header("content-type", this.#type)
      .header("cache-control", caching)
      .header("vary", "accept-encoding");
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(this.#plain);
    this.#zipped ??= gzipSync(this.#plain);
    return reply.header("content-encoding", "gzip").send(this.#zipped);
  }
}

/** Answers of programs, at which a browser is told what a program is told. */
const ofPrograms = /^\/(v1|assets|metrics|healthz|readyz|openapi\.json)(\/|\?|$)/;

/** Whether a person follows a link or types an address, and not one that only programs use. */
function isVisit({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !ofPrograms.test(url) && (headers.accept ?? "").includes("text/html");
}

/**
 * Serves the built console from `folder`: the page at its addresses, and its files, whose names carry their hash. What
 * it gives back answers people at addresses that do not exist with the page that says so; false for programs.
 */
export function addConsole(app: FastifyInstance, folder: string): AnswerVisit {
  if (!existsSync(join(folder, "index.html"))) return () => false;
  const page = new ConsoleFile(join(folder, "index.html"));
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => page.send(request, reply, "no-cache");
  app.get("/", sendPage);
  for (const name of pages) {
    app.get(`/${name}`, sendPage);
    app.get(`/${name}/*`, sendPage);
  }
  const forEver = "public, max-age=31536000, immutable";
  for (const name of readdirSync(join(folder, "assets"))) {
    const file = new ConsoleFile(join(folder, "assets", name));
    app.get(`/assets/${name}`, (request, reply) => file.send(request, reply, forEver));
  }
  for (const name of readdirSync(folder)) {
    if (name === "index.html" || name === "assets") continue;
    const file = new ConsoleFile(join(folder, name));
    app.get(`/${name}`, (request, reply) => file.send(request, reply, "no-cache"));
  }
  return (request, reply) => {
    if (!isVisit(request)) return false;
    sendPage(request, reply.code(404));
    return true;
  };
}
