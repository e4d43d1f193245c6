/** Values that have broken servers before. */
const strings = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "line\nbreak\r\n\tand tab",
  "\u202egnirts desrever\u202c",
  "\u2028\u2029",
  "\ufeffbom",
  "zero\u200bwidth",
  "🦄".repeat(50),
  "ﷺ".repeat(50),
  "İıſK",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "../../../../etc/passwd",
  "..%2f..%2f",
  "/etc/shadow",
  "C:\\windows",
  "' OR '1'='1",
  "'; DROP TABLE jobs; --",
  '"; --',
  "$(reboot)",
  "`id`",
  "$" + "{jndi:ldap://x}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "%s%s%s%n",
  "null",
  "undefined",
  "NaN",
  "true",
  "-1",
  "1e309",
  "0x7fffffff",
  "99999999999999999999",
  "2026-02-30T25:61:00",
  "9999-12-31T23:59:60Z",
  "+275760-09-13T00:00:00Z",
  "1h1h1h1h",
  "999999999w",
  "*",
  "H100:99999999999",
  "job_0000000000000000",
  "a".repeat(300),
  "a".repeat(70_000),
  "/".repeat(300),
  "a/".repeat(200),
  "*:*:*",
  "usr_0000000000000000:platform-owner:",
];

const numbers = [-1, 0, -0, 0.1, 1.5, 1e-7, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 5e-324];

/** A value of any type that the place it is put into does not expect. */
export function hostileValue(random, bait) {
  switch (random.below(9)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.pick([null, true, false]);
    case 2:
      return [];
    case 3:
      return {};
    case 4:
      return Array.from({ length: random.pick([1, 20, 3000]) }, () => random.pick(strings));
    case 5:
      return { [random.pick(strings)]: random.pick(strings), any: [random.pick(numbers)] };
    case 6:
      return nested(random.pick([2, 31, 33, 200]));
    case 7:
      return random.pick(bait);
    default:
      return random.pick(strings);
  }
}

export function hostileText(random, bait) {
  return random.chance(0.2) ? random.pick(bait) : random.pick(strings);
}

function nested(levels) {
  let value = "x";
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const megabytes = (count) => count * 1_048_576;

/** Whole bodies that are not what they say. */
export function hostileBody(random) {
  return random.pick([
    () => ["application/json", "{"],
    () => ["application/json", ""],
    () => ["application/json", "null"],
    () => ["application/json", "[]"],
    () => ["application/json", "1e999"],
    () => ["application/json", '{"run":1e999,"run":"x"}'],
    () => ["application/json", '{"run":"\\ud800"}'],
    () => ["application/json", '{"__proto__":{"admin":true},"run":"true"}'],
    () => ["application/json", '{"run":"true","env":{"\\u005f_proto__":"x"}}'],
    () => ["application/json", `{"a":`.repeat(100_000)],
    () => ["application/json", "[".repeat(megabytes(1) - 10)],
    () => ["application/json", JSON.stringify({ run: "a".repeat(megabytes(10)) })],
    () => ["application/json", Buffer.alloc(megabytes(10), "a")],
    () => ["application/json", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    () => ["application/json; charset=utf-16", Buffer.from('{"run":"true"}', "utf16le")],
    () => [
      "application/json",
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]))),
    ],
    () => [
      "application/yaml",
      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\nrun: *d",
    ],
    () => ["application/yaml", `run: &r true\n${Array.from({ length: 2000 }, (_, i) => `k${i}: *r`).join("\n")}`],
    () => ["application/yaml", "&a [*a]"],
    () => ["application/yaml", "run: !!js/function 'function(){}'"],
    () => ["application/yaml", "run: !!binary AAAA\n<<: {run: x}"],
    () => ["application/yaml", "- ".repeat(300_000)],
    () => ["application/yaml", "[".repeat(500_000)],
    () => ["application/yaml", "{a: ".repeat(200_000)],
    () => ["application/yaml", "? ".repeat(200_000)],
    () => ["application/yaml", "run: x\nrun: y"],
    () => ["application/yaml", "run: x\n---\nrun: y\n..."],
    () => ["application/yaml", "%YAML 1.1\n---\nrun: yes"],
    () => ["application/yaml", `run: |\n${"  line\n".repeat(100_000)}`],
    () => ["application/yaml", "\t- \u0000"],
    () => ["application/yaml", 'run: "\\x00\\ud800"'],
    () => ["text/plain", "run"],
    () => ["application/x-www-form-urlencoded", "run=true"],
    () => ["multipart/form-data; boundary=x", "--x\r\n\r\n--x--"],
    () => ["application/json, application/yaml", "{}"],
    () => ["\u00e4", "{}"],
    () => [";", "{}"],
    () => ["application/octet-stream", Buffer.alloc(100_000, 0)],
  ])();
}

/** Headers that mean something to the server, with values they should not have. */
export function hostileHeaders(random, bait) {
  const value = () =>
    hostileText(random, bait)
      .replaceAll(/[^\x20-\x7e]/g, "?")
      .slice(0, 4000);
  return random.pick([
    () => ({ "idempotency-key": value() }),
    () => ({ "if-match": value() }),
    () => ({ "last-event-id": value(), accept: "text/event-stream" }),
    () => ({ "last-event-id": `${"a".repeat(16)}-${random.below(9)}`, accept: "text/event-stream" }),
    () => ({ accept: value() }),
    () => ({ authorization: value() }),
    () => ({ authorization: `Bearer tess_${random.text(43, "abcXYZ019-_")}` }),
    () => ({ "content-encoding": "gzip" }),
    () => ({ expect: "100-continue" }),
    () => ({ "x-request-id": value() }),
    () => ({ "x-forwarded-for": value(), forwarded: value(), host: value() || "x" }),
    () => ({ "x-http-method-override": "DELETE" }),
    () => ({ origin: "https://evil.example", "access-control-request-method": "DELETE" }),
    () => ({ cookie: value(), range: "bytes=0-1" }),
    () => ({ "x-long": "y".repeat(15_000) }),
  ])();
}

/** What is no request at all, or two at once, or half of one. */
export function hostileBytes(random, token) {
  const auth = `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  return random.pick([
    () => Buffer.from(Array.from({ length: 400 }, () => random.below(256))),
    () => "GET /v1/jobs\r\n\r\n",
    () => "GET /v1/jobs HTTP/9.9\r\n\r\n",
    () => `BREW /v1/jobs HTTP/1.1\r\n${auth}\r\n`,
    () => `GET /v1/whoami HTTP/1.1\r\n${auth}\r\nGARBAGE GARBAGE\r\n\r\n`,
    () => `GET /v1/whoami HTTP/1.1\r\n${auth}\r\n`.repeat(50),
    () => `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"run":`,
    () => `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
    () => `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    () =>
      `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    () =>
      `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n{`,
    () => `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Length: -5\r\n\r\n`,
    () => `POST /v1/jobs HTTP/1.1\r\n${auth}Content-Length: 99999999999999\r\n\r\n{`,
    () => `GET /v1/${"a".repeat(20_000)} HTTP/1.1\r\n${auth}\r\n`,
    () => `GET http://evil.example/v1/whoami HTTP/1.1\r\n${auth}\r\n`,
    () => `GET /v1/whoami HTTP/1.1\r\n${auth}X: a\u0000b\r\n\r\n`,
    () => `GET /v1/whoami HTTP/1.1\r\n${auth}${"X: y\r\n".repeat(3000)}\r\n`,
    () =>
      `GET /v1/events HTTP/1.1\r\n${auth}Accept: text/event-stream\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    () => "\r\n\r\n\r\n",
    () => "",
    () => `GET /v1/who`,
    () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ])();
}
