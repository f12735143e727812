import { toSyncerError } from '../../src/core/errors.ts';
import { figure } from '../../src/core/shown-text.ts';
import { row, typing } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { commonStart, editByKey, editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { LinesIn } from '../ui/text.tsx';
import type { Browser } from './browser.ts';
import type { BrowserPage } from './page.ts';
import { PageFrame } from './page-frame.tsx';
import { type NamedLine, namedLines } from './text-page.tsx';

/** A question for a text. */
export interface FieldQuestion {
  readonly subject: string;
  /** What Enter does, for the footer. */
  readonly does: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly initial?: string;
  /** What will happen, in a line. */
  readonly about: string;
  /** A second line, where no complaint stands. */
  readonly note?: string;
  readonly names?: readonly NamedLine[];
  /** What the text means. Throws why it means nothing. Default: it is a path, which `^N` completes. */
  readonly read?: (typed: string) => string;
  readonly onText: (text: string) => void;
}

/** Asks for a text; Enter on an empty one, or on what stood there, does nothing. */
export function askText(browser: Browser, question: FieldQuestion): void {
  const { subject, does, label, placeholder = '', initial = '', about, note = '' } = question;
  const { names = [], read = browser.effects.expand } = question;
  const completions = question.read === undefined ? browser.effects.complete : undefined;
  let edited = editText(initial);
  let complaint = '';
  let matches = '';
  const complete = async () => {
    const { text } = edited;
    const found = (await completions?.(text).catch(() => [])) ?? [];
    if (edited.text !== text) return;
    const longer = commonStart(found);
    if (longer.length > text.length) edited = editText(longer);
    else if (found.length === 0) complaint = `nothing starts with "${text}"`;
    else matches = found.slice(0, 50).join('  ');
    browser.changed();
  };
  const linesIn = ({ columns, rows }: Size, { glyphs }: Look): readonly Line[] => {
    const texts = (text: string, tone: Tone) => textLines(`  ${text}`, columns, tone);
    const lines = [
      ...texts(about, 'plain'),
      ...(complaint === '' ? texts(note, 'dim') : texts(complaint, 'bad')),
      [span(' ')],
      ...(matches === '' ? [] : texts(matches, 'dim')),
    ];
    const named = namedLines(names, columns);
    const room = rows - lines.length;
    if (named.lines.length <= room) return [...lines, ...named.lines];
    const left = names.length - (named.owners[Math.max(0, room - 1)] ?? 0);
    const more = [span(`  ${glyphs.ellipsis} ${figure(left)} more`, 'dim')];
    return [...lines, ...named.lines.slice(0, Math.max(0, room - 1)), more];
  };
  const page: BrowserPage = {
    keys: () => [
      row('Enter', does, '', () => {
        const typed = edited.text.replaceAll('\n', '').trim();
        if (typed === '' || edited.text === initial) return;
        let text: string;
        try {
          text = read(typed);
        } catch (thrown) {
          complaint = toSyncerError(thrown).message;
          return;
        }
        browser.back();
        question.onText(text);
      }),
      row('Esc', 'back', '', () => browser.back()),
      ...(completions ? [row('^N', 'complete', 'complete the path', () => void complete())] : []),
      typing((_, key) => {
        edited = editByKey(edited, key) ?? edited;
        complaint = '';
        matches = '';
      }),
    ],
    view: () => (
      <PageFrame page={page} subject={subject} field={{ label, edited, placeholder }}>
        <LinesIn lines={linesIn} />
      </PageFrame>
    ),
  };
  browser.open(page);
}
