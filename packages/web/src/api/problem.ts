import type { Problem } from "@tessera/wire";

/** What an answer that is no success says; something in between may have answered in its own words. */
export async function problemOf(answer: Response): Promise<Problem> {
  try {
    return (await answer.json()) as Problem;
  } catch {
    const { status } = answer;
    const detail = `The server answered ${status}.`;
    return { type: "", title: "Not answered", status, detail, code: "unreadable", requestId: "" };
  }
}
