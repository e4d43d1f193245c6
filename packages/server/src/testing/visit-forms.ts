const stepsMax = 20;

/**
 * A browser as simple as can be: follows redirects, keeps cookies, fills in and sends the form of each page, until it is
 * sent to `until`. Answers the query of that address.
 */
export async function visitForms(
  start: string,
  until: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const jar = new Map<string, string>();
  let url = new URL(start);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < stepsMax; step++) {
    const answer = await fetch(url, {
      ...{ redirect: "manual", method: form === undefined ? "GET" : "POST", body: form ?? null },
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) jar.set(name, value);
    }
    form = undefined;
    const location = answer.headers.get("location");
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(until)) return url.search.slice(1);
      continue;
    }
    const page = await answer.text();
    const [, action] = /<form[^>]*action="([^"]*)"/.exec(page) ?? [];
    if (!answer.ok || !page.includes("<form"))
      throw new Error(`no form at ${url}: ${answer.status} ${page.slice(0, 300)}`);
    form = new URLSearchParams();
    for (const [input] of page.matchAll(/<input[^>]*>/g)) {
      const [, name] = /name="([^"]*)"/.exec(input) ?? [];
      const [, value = ""] = /value="([^"]*)"/.exec(input) ?? [];
      if (name !== undefined) form.set(name, fields[name] ?? value);
    }
    url = new URL((action ?? "").replaceAll("&amp;", "&"), url);
  }
  throw new Error(`not sent back after ${stepsMax} pages`);
}
