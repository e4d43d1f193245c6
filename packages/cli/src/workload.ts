import { exit } from "./exit.ts";
import { Failure } from "./failure.ts";
import type { Target } from "./http.ts";

const answerBytesMax = 65_536;

/** Exchanges a token that a CI system or a cluster gave this run for a short one of the server (RFC 8693). */
export async function exchangeToken(target: Omit<Target, "token">, token: string, name?: string): Promise<string> {
  const { request, Agent } = await import("node:https");
  const tls = await import("./tls.ts");
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    ...(name !== undefined && { audience: name }),
  }).toString();
  const url = tls.secured(new URL(`${target.server.replace(/\/+$/, "")}/oauth/token`));
  const agent = new Agent(await tls.trustIn({ ...target, token: undefined }));
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const asked = request(url, { method: "POST", agent, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        body += part;
        if (body.length > answerBytesMax) answer.destroy();
      });
      answer.on("end", () => resolve(body)).on("error", reject);
    });
    asked.on("error", reject).end(form);
  }).catch((error: Error) => {
    throw refused(`${target.server} cannot be reached: ${error.message}`, "check the address");
  });
  const answer = parsed(text);
  if (typeof answer.access_token === "string") return answer.access_token;
  const why = typeof answer.error_description === "string" ? answer.error_description : "the server gives no reason";
  throw refused(
    `the token was not exchanged: ${why}`,
    "the owner can try it: tess exchange preview NAME --jwt-file FILE",
  );
}

function parsed(text: string): { readonly access_token?: unknown; readonly error_description?: unknown } {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

function refused(message: string, hint: string): Failure {
  return new Failure(exit.notAllowed, { code: "unauthenticated", message, hint });
}
