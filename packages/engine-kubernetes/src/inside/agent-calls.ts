import { createInterface } from "node:readline";
import type { TenantContent } from "@tessera/content";
import { isTreeFile, type KeptOutput } from "@tessera/core";
import type { FileContent, FileEntry, JobFolder } from "@tessera/engine";
import { serveKeeper } from "@tessera/engine/files";
import { frameOf, framesOf, jsonFrame, jsonIn, kinds, send } from "@tessera/engine/framed";
import type { ApiClient } from "../api/client.ts";
import type { Pod } from "../api/types.ts";
import { type AgentOrder, type AgentVerb, agentCommand, agentContainer, returnsWord } from "./agent/order.ts";
import { type ExecStream, openExec } from "./exec-stream.ts";

/** Calls of the agent of one pod. Each is a process in its container; no network of the pod is used. */
export class AgentCalls {
  readonly #client: ApiClient;
  readonly #pod: Pod;

  constructor(client: ApiClient, pod: Pod) {
    this.#client = client;
    this.#pod = pod;
  }

  open(verb: AgentVerb, ...rest: readonly string[]): Promise<ExecStream> {
    return openExec(this.#client, this.#pod, { container: agentContainer, command: [...agentCommand, verb, ...rest] });
  }

  /** Sends the contents of all trees that the pod awaits. A tree that is gone ends the member, which is told why. */
  async bring({ bring }: AgentOrder, content: TenantContent): Promise<void> {
    const call = await this.open("bring");
    call.output.resume();
    const complaint = textOf(call.errors);
    try {
      for (const id of new Set(bring.map(({ tree }) => tree))) await sendTree(call, content, id);
      await send(call.input, frameOf(kinds.end));
    } catch (error) {
      await send(call.input, jsonFrame(kinds.refused, { reason: (error as Error).message }));
    }
    call.input.end();
    await settled(call, complaint);
  }

  /** Takes what the member left, once it has ended, into the content of its tenant. */
  async collect(content: TenantContent, returns: boolean): Promise<readonly KeptOutput[]> {
    const call = await this.open("collect", ...(returns ? [returnsWord] : []));
    const complaint = textOf(call.errors);
    const last = await serveKeeper(content, framesOf(call.output), call.input);
    call.input.end();
    if (last?.kind === kinds.end) return jsonIn<readonly KeptOutput[]>(last);
    await settled(call, complaint);
    return [];
  }

  /** Lets the agent go, and the pod with it. */
  async end(): Promise<void> {
    const call = await this.open("end");
    call.output.resume();
    await settled(call, textOf(call.errors));
  }

  async *list(folder: JobFolder): AsyncGenerator<FileEntry> {
    const call = await this.open("list", folder);
    const complaint = textOf(call.errors);
    try {
      for await (const line of createInterface({ input: call.output })) yield JSON.parse(line) as FileEntry;
      await settled(call, complaint);
    } finally {
      call.close();
    }
  }

  async read(folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    const call = await this.open("read", folder, path, String(start));
    call.errors.resume();
    const content = afterHead(call);
    const { value: head } = await content.next();
    if (head !== undefined) return { ...(JSON.parse(Buffer.from(head).toString("utf8")) as Head), content };
    call.close();
    return undefined;
  }
}

type Head = Pick<FileContent, "mode" | "bytes">;

/** The first line, then the bytes that follow it. */
async function* afterHead(call: ExecStream): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const part of call.output) {
      if (head === undefined) {
        yield part as Buffer;
        continue;
      }
      head = Buffer.concat([head, part as Buffer]);
      const feed = head.indexOf(10);
      if (feed < 0) continue;
      const rest = head.subarray(feed + 1);
      yield head.subarray(0, feed);
      head = undefined;
      if (rest.length > 0) yield rest;
    }
  } finally {
    call.close();
  }
}

async function sendTree(call: ExecStream, content: TenantContent, id: string): Promise<void> {
  const { files } = await content.readTree(id);
  await sendContent(call, content, id);
  const digests = new Set(files.filter(isTreeFile).map(({ sha256 }) => sha256));
  for (const sha256 of digests) await sendContent(call, content, sha256);
}

async function sendContent(call: ExecStream, content: TenantContent, sha256: string): Promise<void> {
  await send(call.input, jsonFrame(kinds.ask, { sha256, bytes: content.size(sha256) }));
  for await (const part of content.read(sha256))
    if (!(await send(call.input, frameOf(kinds.input, part)))) throw new Error("the connection broke");
  await send(call.input, frameOf(kinds.inputEnd));
}

async function settled(call: ExecStream, complaint: Promise<string>): Promise<void> {
  const end = await call.ended;
  if ("broken" in end) throw new Error(`the agent of the pod: ${end.broken}`);
  if (end.code !== 0) throw new Error(`the agent of the pod ended with ${end.code}: ${(await complaint).slice(-500)}`);
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const part of stream) text = `${text}${part}`.slice(-4_000);
  return text;
}
