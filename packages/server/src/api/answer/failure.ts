import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { MasterAway } from "../../access/ring/master.ts";
import { Outage } from "../../flow/control.ts";
import { newId } from "../../flow/ids.ts";
import { bodyBytesMax } from "../request/body.ts";
import { answerDenial } from "./answer.ts";
import type { Log } from "./log.ts";
import { type Denial, deny, problemOf, statusOf } from "./problem.ts";

/** A refusal on its way out of a place that can only throw. */
export class Denied extends Error {
  readonly denial: Denial;
  constructor(denial: Denial) {
    super(denial.detail);
    this.denial = denial;
  }
}

/** What went wrong outside of any refusal: mistakes of the client that the framework found, an outage, or a bug. */
export function failed(
  error: Error & { code?: string; statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): void {
  if (request.tessRequestId === "" || request.tessRequestId === undefined) {
    request.tessRequestId = newId("req_");
    reply.raw.setHeader("x-request-id", request.tessRequestId);
  }
  const denial = denialOfError(error, request, log);
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  answerDenial(request, reply, denial);
}

/** The refusal that tells of an error; what is not the client's fault is logged. */
export function denialOfError(error: Error & { code?: string }, request: FastifyRequest, log: Log): Denial {
  const denial = denialFor(error, request.routeOptions?.bodyLimit ?? bodyBytesMax);
  if (denial.refused === "internal" || denial.refused === "unavailable") {
    const route = `${request.method} ${request.routeOptions?.url ?? "?"}`;
    log({
      level: "error",
      requestId: request.tessRequestId,
      route,
      message: `${error.stack ?? error.message}${causeOf(error)}`,
    });
  }
  return denial;
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? ` (cause: ${error.cause.message})` : "";
}

function denialFor(error: Error & { code?: string; statusCode?: number }, bytesMax: number): Denial {
  if (error instanceof Denied) return error.denial;
  if (error instanceof Outage)
    return deny("unavailable", "The control plane cannot answer at the moment.", "Try again in a moment.");
  if (error instanceof MasterAway)
    return deny(
      "unavailable",
      `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`,
      "Tell the platform owner, then try again.",
    );
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return deny("too-large", `The body is larger than ${sizeText(bytesMax)}.`, "Send a smaller body.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return deny("unsupported-media-type", "The content type of the body is not accepted.", "Send application/json.");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return deny(
        "malformed",
        "The body is shorter or longer than its Content-Length.",
        "Send the right Content-Length.",
      );
    case "FST_ERR_BAD_URL":
      return deny(
        "malformed",
        "The address is not a valid URL.",
        "Encode special characters, such as %20 for a space.",
      );
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500)
    return deny("malformed", "The request is not valid HTTP.", "Check the program that sent it.");
  return deny(
    "internal",
    "The server failed to answer; its log has the cause under this request id.",
    "Retry; if it fails again, give the request id to the platform owner.",
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_048_576 ? `${bytes / 1_024} KiB` : `${bytes / 1_048_576} MiB`;
}

/** Answers what the HTTP parser could not read, on the bare socket. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const denial = clientDenial(error.code ?? "");
  const requestId = newId("req_");
  const body = JSON.stringify(problemOf(denial, requestId));
  const status = statusOf(denial);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json",
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function clientDenial(code: string): Denial {
  if (code === "HPE_HEADER_OVERFLOW")
    return deny("headers-too-large", "The headers are too large.", "Send fewer or shorter headers.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return deny("request-timeout", "The request did not arrive in time.", "Check the connection and retry.");
  return deny(
    "malformed",
    "This is not an HTTP request.",
    "Check the address: is it http:// where it should be https://?",
  );
}
