import { createHmac } from "node:crypto";

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const answerMsMax = 10_000;

/**
 * Posts to a receiver; throws unless it was taken. The body is signed with the key in `keys/webhook.key`, so that a
 * receiver can tell us from others and an old message from a new one.
 */
export async function signedPost(post: Post, key: Buffer, now: number, signal: AbortSignal): Promise<void> {
  const at = Math.floor(now / 1_000);
  const signature = createHmac("sha256", key).update(`${at}.${post.body}`).digest("hex");
  let answer: Response;
  try {
    answer = await fetch(post.url, {
      method: "POST",
      headers: {
        ...post.headers,
        "content-type": post.contentType,
        "tessera-signature": `t=${at},v1=${signature}`,
      },
      body: post.body,
      redirect: "manual", // a receiver that sends us elsewhere is not the one that was named
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  }
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}
