import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { OwnTexts } from "./own-texts.ts";

export interface FieldHelp {
  readonly name: string;
  readonly about: string;
  readonly values: readonly string[];
}

export interface Mark {
  readonly line: number;
  readonly message: string;
}

interface EditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly fields: readonly FieldHelp[];
  readonly mark: Mark | undefined;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: tags.comment, color: "var(--quiet)" },
  { tag: [tags.number, tags.bool], color: "var(--good)" },
]);

const looks = EditorView.theme({
  "&": { fontSize: "12.5px", backgroundColor: "var(--surface)", color: "var(--text)", height: "100%" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--back)", color: "var(--quiet)", border: "none" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line)", color: "var(--text)" },
});

/** Marks a text that the page has already. */
const fromPage = Annotation.define<true>();

/** Names of fields at the start of a line, and their values where there are few. */
function completer(fields: { readonly current: readonly FieldHelp[] }) {
  return (context: CompletionContext) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const name = /^([a-z_]*)$/.exec(before);
    if (name !== null) {
      if (name[1] === "" && !context.explicit) return null;
      return {
        from: line.from,
        options: fields.current.map((field) => ({ label: field.name, info: field.about, apply: `${field.name}: ` })),
      };
    }
    const value = /^([a-z_]+):\s*(\S*)$/.exec(before);
    const field = fields.current.find((each) => each.name === value?.[1]);
    if (value === null || field === undefined || field.values.length === 0) return null;
    return { from: context.pos - value[2]!.length, options: field.values.map((label) => ({ label })) };
  };
}

/** The job file as text, with the names of its fields at hand and what is wrong beside its line. */
export default function Editor({ text, onChange, fields, mark }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const held = useRef({ onChange, fields });
  held.current = { onChange, fields };
  const own = useRef(new OwnTexts());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; later texts are put into it below
  useEffect(() => {
    const known = {
      get current() {
        return held.current.fields;
      },
    };
    // In a shadow root CodeMirror's styles are sheets, not elements, which our policy would refuse.
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: "open" });
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          yaml(),
          syntaxHighlighting(colours),
          lintGutter(),
          autocompletion({ override: [completer(known)] }),
          // Tab leaves the editor: keyboard users must be able to leave it.
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Job file (YAML)", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(fromPage))) return;
            const written = update.state.doc.toString();
            own.current.sent(written);
            held.current.onChange(written);
          }),
          looks,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || !own.current.isForeign(text, editor.state.doc.toString())) return;
    const changes = { from: 0, to: editor.state.doc.length, insert: text };
    editor.dispatch({ changes, annotations: fromPage.of(true) });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(setDiagnostics(editor.state, mark === undefined ? [] : [diagnosticOf(editor, mark)]));
  }, [mark]);
  return <div ref={place} className="editor" />;
}

function diagnosticOf(editor: EditorView, { line, message }: Mark): Diagnostic {
  const { from, to } = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines));
  return { from, to, severity: "error", message };
}
