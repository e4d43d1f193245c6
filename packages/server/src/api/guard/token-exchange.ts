import { isRefusal } from "@tessera/core";
import type { FastifyInstance, FastifyReply } from "fastify";
import { networksOf } from "../../access/networks.ts";
import { ProviderFault } from "../../flow/sso/bounded-fetch.ts";
import { failed } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import type { Api } from "../context.ts";
import { RateLimit } from "./rate-limit.ts";

export const exchangePath = "/oauth/token";
const bodyBytesMax = 16 * 1024;
/** Each costs a signature, and a commit where it is taken; runners of one company come from one network. */
const rate = { burst: 120, perSecond: 10 };

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
const subjectTypes = new Set(["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"]);

/** Where programs bring a token of another system. Form and answers are those of OAuth 2.0 Token Exchange (RFC 8693). */
export function addTokenExchange(app: FastifyInstance, api: Api, log: Log): void {
  const limit = new RateLimit(rate);
  app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: bodyBytesMax },
      (_request, text, done) => done(null, new URLSearchParams(String(text))),
    );
    scope.post(exchangePath, { bodyLimit: bodyBytesMax }, async (request, reply) => {
      const { ip: address, tessRequestId } = request;
      const waitMs = limit.take(networksOf(address).near, performance.now());
      if (waitMs > 0) {
        reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
        return refuse(reply, 429, "temporarily_unavailable", "too many exchanges from this network");
      }
      const asked = askedIn(request.body);
      if ("wrong" in asked) return refuse(reply, 400, asked.error, asked.wrong);
      try {
        const made = await api.exchanges.exchange(asked, { request: tessRequestId, address });
        if (isRefusal(made)) return refuse(reply, 400, "invalid_scope", `${made.value ?? "scope"} ${made.detail}`);
        const { token, lifeSeconds, scopes } = made;
        return reply
          .header("cache-control", "no-store")
          .header("content-type", "application/json; charset=utf-8")
          .send(
            JSON.stringify({
              ...{ access_token: token, issued_token_type: accessToken, token_type: "Bearer", expires_in: lifeSeconds },
              ...(scopes.length > 0 && { scope: scopes.join(" ") }),
            }),
          );
      } catch (error) {
        if (!(error instanceof ProviderFault)) {
          failed(error as Error, request, reply, log);
          return reply;
        }
        api.passwords.noteFailure(address, tessRequestId, undefined, `exchange: ${error.message}`.slice(0, 300));
        return refuse(reply, 400, "invalid_request", error.message);
      }
    });
  });
}

type Form =
  | { readonly token: string; readonly name?: string; readonly scopes?: readonly string[] }
  | { readonly wrong: string; readonly error: string };

function askedIn(body: unknown): Form {
  const wrong = (text: string, error = "invalid_request") => ({ wrong: text, error });
  if (!(body instanceof URLSearchParams)) return wrong("the body is not application/x-www-form-urlencoded");
  for (const name of body.keys()) if (body.getAll(name).length > 1) return wrong(`${name.slice(0, 40)} is given twice`);
  if (body.get("grant_type") !== grantType) return wrong(`grant_type is not ${grantType}`, "unsupported_grant_type");
  const token = body.get("subject_token");
  if (token === null || token === "") return wrong("subject_token is missing");
  if (!subjectTypes.has(body.get("subject_token_type") ?? ""))
    return wrong(`subject_token_type is none of ${[...subjectTypes].join(", ")}`);
  if (body.has("actor_token")) return wrong("actor_token is not taken: a token speaks for a service account alone");
  const wanted = body.get("requested_token_type");
  if (wanted !== null && wanted !== accessToken) return wrong(`requested_token_type is not ${accessToken}`);
  const name = body.get("audience");
  const scopes = body.get("scope")?.split(" ").filter(Boolean);
  return { token, ...(name !== null && { name }), ...(scopes !== undefined && scopes.length > 0 && { scopes }) };
}

function refuse(reply: FastifyReply, status: number, error: string, why: string): FastifyReply {
  const body = { error, error_description: why };
  return reply
    .code(status)
    .header("content-type", "application/json")
    .header("cache-control", "no-store")
    .send(JSON.stringify(body));
}
