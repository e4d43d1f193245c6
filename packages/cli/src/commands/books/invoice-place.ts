import { notFoundFailure } from "../../failure.ts";
import type { Api } from "../../http.ts";

/** Where the API keeps an invoice: the tenant, and the month or `open`. */
export type InvoicePlace = { readonly account: string; readonly period: string };

/** An invoice is known by its number, a draft as draft:TENANT. */
export async function placeOf(api: Api, name: string): Promise<InvoicePlace> {
  const draft = /^draft:(.+)$/.exec(name);
  if (draft !== null) return { account: draft[1]!, period: "open" };
  const { items } = await api.call("listInvoices", { query: { number: name } });
  const found = items.find(({ number }) => number === name);
  if (found !== undefined) return { account: found.tenant, period: found.period };
  throw notFoundFailure(`there is no invoice ${name}`, "see: tess invoice list; a draft is called draft:TENANT");
}
