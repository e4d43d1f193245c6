import type { ContentStore, TenantContent } from "@tessera/content";
import { type Account, type ReadonlyState, refuse, tenantOf } from "@tessera/core";
import { snapshotLimits } from "../../flow/content/limits.ts";
import { receiveContent } from "../../flow/content/receive.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api, Handler } from "../context.ts";
import { partsOf } from "../request/parts.ts";

type ContentHandlers = {
  findMissing: Handler<"findMissing">;
  putContent: Handler<"putContent">;
};

export const contentHandlers: ContentHandlers = {
  async findMissing(api, { target, body, principal }) {
    const content = contentOf(api, target);
    if (isDenied(content)) return content;
    const { filesMax, bytesMax } = snapshotLimits(api.control.state.policy);
    const missing = await (content as TenantContent).missing(body.digests, principal.user.id);
    return { missing, limits: { files: filesMax, bytes: bytesMax } };
  },

  async putContent(api, { target, body, principal }) {
    const content = contentOf(api, target);
    if (isDenied(content)) return content;
    if (body === undefined) return { parts: 0, bytes: 0 };
    const { policy } = api.control.state;
    const hasRoom = (more: number) => api.content!.hasRoom(more);
    return receiveContent(content as TenantContent, hasRoom, policy, principal.user.id, partsOf(body));
  },
};

/** The content of the tenant to which the project belongs. */
function contentOf({ content, control }: Api, account: Account): TenantContent | Denial {
  if (content === undefined || !control.capabilities.code) {
    return refuse("unsupported", "content", null, "cannot be kept by this server", "run the job without a folder");
  }
  return tenantContent(content, control.state, account);
}

function tenantContent(content: ContentStore, state: ReadonlyState, account: Account): TenantContent {
  return content.of(tenantOf(state, account.no).id);
}
