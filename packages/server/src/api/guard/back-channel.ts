import type { FastifyInstance, FastifyReply } from "fastify";
import { ProviderFault } from "../../flow/sso/bounded-fetch.ts";
import { logoutPath } from "../../flow/sso/logout.ts";
import { failed } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import type { Api } from "../context.ts";

const bodyBytesMax = 16 * 1024;

/** Where providers tell of people who signed out there. Form and answers are those of OpenID Connect Back-Channel Logout. */
export function addBackChannel(app: FastifyInstance, api: Api, log: Log): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: bodyBytesMax },
      (_request, text, done) => done(null, new URLSearchParams(String(text))),
    );
    scope.post(logoutPath(":provider"), async (request, reply) => {
      const { provider: name } = request.params as { provider: string };
      const provider = api.control.state.providers.get(name);
      const token = request.body instanceof URLSearchParams ? request.body.get("logout_token") : null;
      if (provider === undefined || token === null) return refuse(reply, "logout_token is missing");
      const { ip: address, tessRequestId } = request;
      try {
        await api.sso.logouts.take(provider, token, { request: tessRequestId, address });
        return reply.header("cache-control", "no-store").send("");
      } catch (error) {
        if (!(error instanceof ProviderFault)) {
          failed(error as Error, request, reply, log);
          return reply;
        }
        api.passwords.noteFailure(
          address,
          tessRequestId,
          undefined,
          `logout by ${name}: ${error.message}`.slice(0, 300),
        );
        return refuse(reply, error.message);
      }
    });
  });
}

function refuse(reply: FastifyReply, why: string): FastifyReply {
  const body = { error: "invalid_request", error_description: why };
  return reply.code(400).header("content-type", "application/json").send(JSON.stringify(body));
}
