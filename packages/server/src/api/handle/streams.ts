import { isDenied } from "../answer/problem.ts";
import type { Handler } from "../context.ts";

/** The streams that all windows of a browser share; one is opened by asking for events. */
export const streamHandlers: { openStream: Handler<"openStream">; leaveTopic: Handler<"leaveTopic"> } = {
  openStream: ({ shared }, { principal }) => shared.countOf(principal),

  leaveTopic({ shared }, { params, principal }) {
    const found = shared.find(params.topic!, principal);
    // Of a stream that is gone nothing is watched any more, which is what was asked for.
    if (!isDenied(found)) found.stream.leave(found.number);
    return {};
  },
};
