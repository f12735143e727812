import { harmless } from '../core/harmless.ts';
import { span } from '../screen/span.ts';
import { editByKey, editText } from '../screen/text-edit.ts';
import { fitLine } from './fit-line.ts';
import { type BrowserPage, contentRows } from './frame.ts';

/** A question for a remote and path. */
export interface DestinationQuestion {
  readonly subject: string;
  /** What goes there. */
  readonly names: readonly string[];
  readonly verb: string;
  readonly onDestination: (dest: string) => void;
  readonly back: () => void;
}

/** Asks where something goes: `remote:path` or a local path, as on the command line. */
export function destinationPage(question: DestinationQuestion): BrowserPage {
  const { subject, names, verb, onDestination, back } = question;
  let edited = editText('');
  return {
    takesText: () => true,
    press(key) {
      if (key.name === 'escape') return back();
      if (key.name !== 'enter') {
        edited = editByKey(edited, key) ?? edited;
        return;
      }
      const dest = edited.text.replaceAll('\n', '').trim();
      if (dest === '') return;
      back();
      onDestination(dest);
    },
    frame(size, { glyphs }) {
      const rows = contentRows(size, false, true);
      const lines = [
        [span(`  ${verb} into the directory below: remote:path, or a path on this machine.`)],
        [span('  Directories keep their names in it.', 'dim')],
        [span(' ')],
        ...names.map((name) => [
          span(`    ${harmless(name)}`, name.endsWith('/') ? 'dir' : 'plain'),
        ]),
      ];
      const shown =
        lines.length > rows
          ? [...lines.slice(0, rows - 1), [span(`    ${glyphs.ellipsis}`, 'dim')]]
          : lines;
      return {
        subject,
        aside: '',
        lines: shown.map((line) => ({ line: fitLine(line, size.columns, glyphs.ellipsis) })),
        field: { label: `${verb} to:`, edited, placeholder: 'remote:path' },
        hints: [
          { keys: 'Enter', does: verb },
          { keys: 'Esc', does: 'back' },
        ],
      };
    },
  };
}
