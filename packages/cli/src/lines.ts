/** An answer of one JSON object a line, as it arrives. */
export async function* readLines<Item>(answer: NodeJS.ReadableStream): AsyncGenerator<Item> {
  answer.setEncoding("utf8");
  let rest = "";
  for await (const part of answer) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as Item;
  }
  if (rest.trim() !== "") yield JSON.parse(rest) as Item;
}
