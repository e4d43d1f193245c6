import { ContentRefused, type TenantContent } from "@tessera/content";
import { type Policy, type Refusal, refuse } from "@tessera/core";
import type { ContentPart, ContentTaken } from "@tessera/wire";
import { snapshotLimits, tenantBytesMax } from "./limits.ts";

/** One part of an upload, with its bytes still on the way. */
export interface ArrivingPart {
  readonly part: ContentPart;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Keeps what arrives, part by part. What was kept before a refusal stays, so sending again goes on there. */
export async function receiveContent<Fault extends { readonly refused: string }>(
  content: TenantContent,
  hasRoom: (bytes: number) => boolean,
  policy: Policy,
  sender: string,
  arriving: AsyncIterable<ArrivingPart | Fault>,
): Promise<ContentTaken | Refusal | Fault> {
  const taken = { parts: 0, bytes: 0 };
  const fileBytesMax = snapshotLimits(policy).bytesMax;
  const keptMax = tenantBytesMax(policy);
  for await (const arrived of arriving) {
    if ("refused" in arrived) return arrived;
    const { part, bytes } = arrived;
    const name = part.path ?? part.sha256;
    if (part.bytes > fileBytesMax) {
      const detail = `has ${part.bytes} bytes, and a folder sent with a job may hold ${fileBytesMax}`;
      return refuse(
        "not-allowed",
        "content",
        name,
        detail,
        `name ${name} in .tessignore, or put it where jobs can read it`,
      );
    }
    if (!hasRoom(part.length)) return noRoom(name);
    const kept = await content.bytes();
    if (kept + part.bytes > keptMax) {
      const detail = `has ${part.bytes} bytes; ${kept} of the ${keptMax} bytes that your organisation may keep are in use`;
      const hint = `name ${name} in .tessignore, or ask the platform owner for more (tess policy set --content-mib)`;
      return refuse("not-allowed", "content", name, detail, hint);
    }
    try {
      await content.putFile(bytes, { sha256: part.sha256, bytes: part.bytes, offset: part.offset, sender });
    } catch (error) {
      const refusal = refusalOf(error, name);
      if (refusal === undefined) throw error;
      return refusal;
    }
    taken.parts += 1;
    taken.bytes += part.length;
  }
  return taken;
}

/** What the sender can do something about; anything else is a failure of ours. */
function refusalOf(error: unknown, name: string): Refusal | undefined {
  if (error instanceof ContentRefused) return refuse("conflict", "content", name, error.message, error.hint);
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" ? noRoom(name) : undefined;
}

function noRoom(name: string): Refusal {
  const detail = "cannot be kept: the disk of the server is full";
  const hint = "tell the platform owner; what was sent so far need not be sent again";
  return refuse("no-space", "content", name, detail, hint);
}
