/** Whether a name in a request or a quota covers a GPU model: the same model, or a variant of it [U2]. */
export function modelMatches(name: string, model: string): boolean {
  return name === "*" || model === name || (model.startsWith(name) && model[name.length] === "-");
}
