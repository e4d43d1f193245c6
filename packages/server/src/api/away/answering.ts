import { ContentStore } from "@tessera/content";
import type { UserId } from "@tessera/core";
import { readTelemetry } from "@tessera/telemetry";
import { type RouteId, routes } from "@tessera/wire";
import { engineKeysIn, signerOf, vaultOf } from "../../access/holder.ts";
import type { Keys } from "../../access/keys.ts";
import { People } from "../../access/people.ts";
import { userWithin } from "../../access/policy.ts";
import { RevokedTokens } from "../../access/revoked-tokens.ts";
import { contentKeysOf } from "../../access/ring/tenant-keys.ts";
import { Seal } from "../../access/seal.ts";
import { TokenUse } from "../../access/token-use.ts";
import { Reasons } from "../../flow/count/reasons.ts";
import { LiveNames } from "../../flow/find/live-names.ts";
import { telemetryFolderIn } from "../../flow/telemetry/place.ts";
import { Heads, treeFileIn } from "../../flow/trail/heads.ts";
import type { ReplicaControl } from "../../work/replica-control.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import type { Api, Call, Handler } from "../context.ts";
import { Feed } from "../feed.ts";
import { authorise } from "../guard/authorise.ts";
import { handlers } from "../handle/index.ts";
import { withAllMistakes } from "../request/mistakes.ts";
import type { AnsweringConfig, AwayAnswer, AwayCall } from "./tasks.ts";

const utf8 = new TextEncoder();

/** Buffers come from another thread as plain bytes. */
function buffersOf({ serverKey, webhookKey, held }: Keys): Keys {
  return {
    serverKey: Buffer.from(serverKey),
    webhookKey: Buffer.from(webhookKey),
    held:
      "helper" in held
        ? held
        : { ...held, secretsKey: Buffer.from(held.secretsKey), signingKey: Buffer.from(held.signingKey) },
  };
}

/** The API as it is on a worker: the same handlers, over a state of its own. */
export class Answering {
  readonly #control: ReplicaControl;
  readonly #api: Omit<Api, "people">;
  #people: People | undefined;

  private constructor(control: ReplicaControl, api: Omit<Api, "people">) {
    this.#control = control;
    this.#api = api;
    // Names are not in the journal; they are read again when somebody came or went.
    control.follow({
      before: ({ kind }) => {
        if (kind.startsWith("user-")) this.#people = undefined;
      },
    });
  }

  static async open(control: ReplicaControl, { keys, content, dataFolder }: AnsweringConfig): Promise<Answering> {
    const here = buffersOf(keys);
    const signature = await signerOf(here.held);
    const api = {
      control,
      keys: here,
      seal: new Seal(here.serverKey),
      signature,
      vault: vaultOf(here.held, control.state),
      heads: await Heads.asked(control, signature, treeFileIn(dataFolder)),
      revoked: await RevokedTokens.load(control.reader),
      tokenUse: await TokenUse.load(control.reader, undefined),
      liveNames: new LiveNames(control),
      reasons: new Reasons(control),
      get tallies(): never {
        throw new Error("jobs are counted where the request came in");
      },
      feed: await Feed.load(control),
      dataFolder,
      telemetry: readTelemetry(telemetryFolderIn(dataFolder)),
      content: new ContentStore(content.folder, content.freeBytesMin, contentKeysOf(engineKeysIn(here.held))),
      get activity(): never {
        throw new Error("samples are kept where they are taken");
      },
      get notices(): never {
        throw new Error("what is read is noted where the request came in");
      },
      get passwords(): never {
        throw new Error("a worker checks no passwords");
      },
      get exchanges(): never {
        throw new Error("a worker exchanges no tokens");
      },
      get sso(): never {
        throw new Error("people sign in where the request came in");
      },
      get anchors(): never {
        throw new Error("anchors are written where the head is signed");
      },
      get streams(): never {
        throw new Error("a worker answers at once, and streams nothing");
      },
      get shared(): never {
        throw new Error("a worker answers at once, and streams nothing");
      },
      get entrances(): never {
        throw new Error("a worker has no way into jobs");
      },
      get sessions(): never {
        throw new Error("a worker knows no sessions: who asks was found out where the request came in");
      },
      get sessionNotes(): never {
        throw new Error("a worker knows no sessions: who asks was found out where the request came in");
      },
      get logins(): never {
        throw new Error("a worker lets no programs in");
      },
      get links(): never {
        throw new Error("a worker makes no sign-in links");
      },
      get factors(): never {
        throw new Error("a worker knows no second factors");
      },
      get second(): never {
        throw new Error("a worker asks for no second factor: that is done where the request comes in");
      },
      get factorChecks(): never {
        throw new Error("a worker checks no second factors");
      },
      get factorChanges(): never {
        throw new Error("a worker adds no second factors");
      },
      get stepUps(): never {
        throw new Error("a worker asks for no second factor: that is done where the request comes in");
      },
      get pages(): never {
        throw new Error("a worker has no pages of jobs");
      },
    };
    await control.reach(api.feed.seq);
    return new Answering(control, api);
  }

  async answer({ id, user: userId, token, ...rest }: AwayCall): Promise<AwayAnswer | Denial> {
    this.#people ??= await People.load(this.#control.reader, this.#control.state);
    const api = Object.create(this.#api, { people: { value: this.#people } }) as Api;
    const user = this.#control.state.users.get(userId as UserId);
    if (user === undefined || user.disabled) return deny("unauthenticated", "The user was disabled meanwhile.");
    const { params, query, body } = rest;
    const principal = { user: userWithin(this.#control.state, user, token), token };
    const asked = { id, route: routes[id], principal, params, query: query ?? {}, body };
    const target = await authorise(api, asked);
    if (isDenied(target)) return withAllMistakes(api, asked, target);
    const handler = handlers[id as keyof typeof handlers] as unknown as Handler<RouteId>;
    const answer = await handler(api, { ...rest, principal, target } as unknown as Call<RouteId>);
    if (isDenied(answer)) return answer;
    const { revision } = answer as { readonly revision?: unknown };
    return {
      json: utf8.encode(JSON.stringify(answer)),
      ...(typeof revision === "string" && { revision }),
    };
  }
}
