import { Link } from "wouter";
import { Notice } from "../../design/parts.tsx";
import { spellDay } from "../../format/times.ts";
import { useAddress } from "../../frame/address.ts";

/** On a page that was opened from another moment, and that shows only the present. `back` is the page of that moment. */
export function ThisIsNow({ what, back }: { what: "node" | "job"; back: string }) {
  const [params] = useAddress();
  const at = params.get("at");
  if (at === null) return null;
  // An address may say `2h`, which only the server reads.
  const moment = Number.isNaN(Date.parse(at)) ? "the moment you looked at" : spellDay(Date.parse(at));
  const [path, search = ""] = back.split("?");
  const then = new URLSearchParams(search);
  then.set("at", at);
  return (
    <Notice action={<Link href={`${path}?${then}`}>Back to {moment}</Link>}>
      This is the {what} now, not at {moment}.
    </Notice>
  );
}
