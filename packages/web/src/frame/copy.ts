import { toast } from "./toasts.tsx";

/** Puts a text on the clipboard and says so; over plain HTTP, and where a person has forbidden it, browsers refuse. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("good", said);
  } catch {
    toast("bad", "The browser does not let this page copy. Select the text and copy it by hand.");
  }
}
