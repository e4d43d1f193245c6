import type { Api } from "../http.ts";
import type { Noun, PageOfItems, Query } from "../nouns/noun.ts";

const pageMax = 1_000;

/** Fetches pages until there are no more or `limit` is reached; `next` is kept when something is left. */
export async function fetchPages<Item>(
  noun: Pick<Noun<Item>, "page">,
  api: Api,
  query: Query,
  limit: number | undefined,
): Promise<PageOfItems<Item>> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const room = limit === undefined ? pageMax : Math.min(pageMax, limit - items.length);
    const page = await noun.page(api, { ...query, limit: room, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    if (page.next === undefined) return { items };
    if (limit !== undefined && items.length >= limit) return { items, next: page.next };
    cursor = page.next;
  }
}
