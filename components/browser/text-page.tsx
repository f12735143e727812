import { linkedAbort } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import { cellWidth, fitLine, pieces } from '../../src/terminal/cells.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { scrolledBy, scrolledRange } from '../../src/terminal/help-lines.ts';
import { row, typing } from '../../src/terminal/key-table.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Look } from '../../src/terminal/look.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { commonStart, editByKey, editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { PageQuestion } from '../ui/question.ts';
import { Lines, LinesIn } from '../ui/text.tsx';
import type { Browser } from './browser.ts';
import { type BrowserPage, HELPS, type PageRule } from './page.ts';
import { PageFrame } from './page-frame.tsx';

/** The text of a page, for the width of the terminal. */
export type PageText = (columns: number, look: Look) => readonly Line[];

/** A page of lines that can be scrolled. */
export function textPage(
  browser: Browser,
  parts: {
    readonly subject: string;
    readonly text: PageText;
    /** Keys besides those that scroll and go back. */
    readonly keys?: () => readonly PageRule[];
    /** All keys, where it takes no others. */
    readonly only?: readonly PageRule[];
    /** It stands in a dialog over the page below, if the window has room for one. */
    readonly isDialog?: boolean;
    /** What is shown of all lines, from the first one shown, where not all are; default: which lines. */
    readonly range?: (first: number, rows: number) => string;
    /** The word for No, whose keys are then those that go back. */
    readonly no?: string;
    /** It is going to be taken away by a key that goes back. */
    readonly onLeave?: () => void;
  },
): BrowserPage {
  const { subject, text, keys, only, isDialog = false, no, onLeave } = parts;
  const back = () => {
    browser.back();
    onLeave?.();
  };
  let first = 0;
  let rows = 1;
  let total = 0;
  const rangeOf = () => {
    if (parts.range === undefined) return scrolledRange(total, first, rows);
    return total > rows ? parts.range(first, rows) : '';
  };
  const scroll = (step: number) => {
    first = scrolledBy(first, step, total, rows);
  };
  const linesOf = (columns: number, look: Look) =>
    text(columns, look).map((line) => fitLine(line, columns, look.glyphs.ellipsis));
  const settle = (lines: readonly Line[], room: number) => {
    total = lines.length;
    rows = Math.max(1, room);
    scroll(0);
  };
  const [key, more, also] = no === undefined ? ['Esc', '', ''] : ['n', 'N, Esc, ', 'N Esc '];
  const leave: PageRule = row(key, no ?? 'back', `go back; also ${more}←, Enter, q and h`, back, {
    also: `${also}← Enter q h`,
  });
  const questionOf = (look: Look, hasHead: boolean): PageQuestion => ({
    isLarge: true,
    enough: ENOUGH_LINES + (hasHead ? HEAD_ROWS : 0),
    lines({ columns, rows: room }) {
      const lines = linesOf(columns, look);
      if (Number.isFinite(room)) settle(lines, room - (hasHead ? HEAD_ROWS : 0));
      const range = rangeOf();
      const head = [span(subject, 'section'), span(range === '' ? '' : `  ${range}`, 'dim')];
      const above = hasHead ? [fitLine(head, columns, look.glyphs.ellipsis), []] : [];
      return [...above, ...lines.slice(first)].map((line) => ({ line }));
    },
  });
  const page: BrowserPage = {
    keys() {
      if (only !== undefined) return only;
      const scrolling: PageRule = row(
        '↑↓',
        'scroll',
        'scroll; also j and k, PgUp, PgDn and Space, Home and End, g and G',
        (name) => scroll(stepOf(name, rows)),
        { also: `${MOVE.also} Space`, short: total > rows ? '↑↓' : '' },
      );
      const answers = keys?.() ?? [];
      // In a narrow window the answers matter most.
      if (isDialog) return [...answers, leave, scrolling];
      return [leave, scrolling, ...answers, ...HELPS];
    },
    view(size, look) {
      const { inner } = layoutOf(size, false);
      const lines = linesOf(inner.columns, look);
      settle(lines, contentRows(inner));
      return (
        <PageFrame
          page={page}
          subject={subject}
          aside={rangeOf()}
          question={isDialog ? questionOf(look, false) : undefined}
        >
          {isDialog ? null : <Lines lines={lines} first={first} />}
        </PageFrame>
      );
    },
    ...(isDialog ? { dialog: (look) => questionOf(look, true) } : {}),
  };
  return page;
}

/** The subject of a dialog, and a blank line. */
const HEAD_ROWS = 2;

/** One of the names in a question, which is shown whole. */
export interface NamedLine {
  readonly name: string;
  readonly tone?: Tone;
  /** Before it: its size. */
  readonly lead?: string;
  /** Behind it. */
  readonly note?: string;
  /** Below it. */
  readonly more?: readonly string[];
}

/** Names that a question shows. */
const MOST_NAMES = 1000;

/** The lines of names, and for each line the number of its name. */
function namedLines(
  names: readonly NamedLine[],
  columns: number,
): { readonly lines: readonly Line[]; readonly owners: readonly number[] } {
  const lines: Line[] = [];
  const owners: number[] = [];
  const add = (at: number, line: Line) => {
    lines.push(line);
    owners.push(at);
  };
  names.slice(0, MOST_NAMES).forEach(({ name, tone, lead = '', note = '', more = [] }, at) => {
    const start = `  ${columns < NARROW ? lead.trimStart() : lead}`;
    const indent = ' '.repeat(start.length);
    const parts = pieces(name, columns - start.length);
    const last = parts.length - 1;
    const fits = start.length + cellWidth(parts[last] ?? '') + 2 + cellWidth(note) <= columns;
    const end = note === '' || !fits ? [] : [span(`  ${note}`, 'dim')];
    parts.forEach((piece, index) => {
      const lead = span(index === 0 ? start : indent);
      add(at, [lead, span(piece, tone), ...(index === last ? end : [])]);
    });
    if (note !== '' && !fits) add(at, [span(`${indent}${note}`, 'dim')]);
    for (const text of more) add(at, [span(`${indent}  ${text}`, 'dim')]);
  });
  const left = names.length - MOST_NAMES;
  if (left > 0) add(names.length - 1, [span(`  and ${figure(left)} more`, 'dim')]);
  return { lines, owners };
}

/** Narrower windows have no column for what stands before names. */
const NARROW = 60;

/** Asks before something happens that cannot be undone: `y` does it, `n`, Esc and Enter do not. */
export function askYes(
  browser: Browser,
  question: {
    readonly subject: string;
    readonly lines: readonly Line[];
    readonly names?: readonly NamedLine[];
    /** What the names are names of; default: `entry`. */
    readonly noun?: string;
    /** What `y` does, for the footer. */
    readonly yes: string;
    readonly onYes: () => void;
    readonly keys?: readonly PageRule[];
  },
): void {
  const { subject, lines, names = [], noun = 'entry', yes, onYes, keys = [] } = question;
  const confirm = () => {
    browser.back();
    onYes();
  };
  let owners: readonly number[] = [];
  const page = textPage(browser, {
    subject,
    text: (columns) => {
      const head = lines.flatMap((line) => sentenceLines(line, columns));
      const named = namedLines(names, columns);
      const gap: Line[] = names.length === 0 ? [] : [[span(' ')]];
      owners = [...head, ...gap].map(() => -1).concat(named.owners);
      return [...head, ...gap, ...named.lines];
    },
    range(first, rows) {
      const shown = owners.slice(first, first + rows).filter((at) => at >= 0);
      const [from = 0, to = from] = [shown[0], shown.at(-1)];
      if (shown.length === 0) return counted(names.length, noun);
      if (from === to) return scrolledRange(owners.length, first, rows);
      return `${figure(from + 1)}-${figure(to + 1)} of ${counted(names.length, noun)}`;
    },
    keys: () => [
      row('y', yes, '', confirm, { confirms: true }),
      ...keys.map((rule) => ({ ...rule, confirms: true as const })),
    ],
    no: 'cancel',
    isDialog: true,
  });
  browser.open(page);
}

/** Shows sentences in a dialog. */
export function showSentences(browser: Browser, subject: string, lines: readonly Line[]): void {
  const text: PageText = (columns) => lines.flatMap((line) => sentenceLines(line, columns));
  browser.open(textPage(browser, { subject, text, isDialog: true }));
}

/** A sentence, indented by two blanks, over as many lines as it takes, behind its key in one tone; a name in one. */
function sentenceLines(line: Line, columns: number): readonly Line[] {
  const [first, second] = line;
  const isSentence = second === undefined || first?.bold === true;
  if (first === undefined || !isSentence || !/^ {2}\S/.test(first.text)) return [line];
  const text = line.map((part) => part.text).join('');
  const { tone, bold } = first.tone === 'key' ? (second ?? first) : first;
  const parts = textLines(text, columns, tone, bold);
  return parts.length === 1 ? [line] : parts;
}

/** How often the sign of life turns, in milliseconds. */
const TICK_MS = 100;

/** Shows that something is under way, which Esc stops; then takes that page away and goes on, or says what failed. */
export function whileWaiting<T>(
  browser: Browser,
  what: string,
  awaited: { work(op: Op): Promise<T>; onResult(result: T): void; status?(): string },
): void {
  const ending = linkedAbort(browser.closing);
  const startedMs = browser.nowMs();
  const ticking = setInterval(() => browser.changed(), TICK_MS).unref();
  let isOpen = true;
  const leave = () => {
    clearInterval(ticking);
    if (isOpen) browser.back();
    isOpen = false;
  };
  const stop = () => {
    leave();
    ending.abort(new Error('stopped'));
  };
  browser.open(
    textPage(browser, {
      subject: 'please wait',
      text: (_, { glyphs: { spinner } }) => {
        const ticks = Math.floor((browser.nowMs() - startedMs) / TICK_MS);
        const turn = span(`${spinner[ticks % spinner.length] ?? ''} `, 'accent');
        return [[turn, span(what)], [span(`  ${awaited.status?.() ?? ''}`, 'dim')]];
      },
      // Enter may still be held down from the field.
      only: [row('Esc', 'stop', '', stop)],
      isDialog: true,
    }),
  );
  awaited.work({ signal: ending.signal }).then(
    (result) => {
      if (!isOpen) return;
      leave();
      awaited.onResult(result);
    },
    (thrown) => {
      leave();
      if (!ending.signal.aborted) browser.tell(harmless(toSyncerError(thrown).message), 'bad');
    },
  );
}

/** Asks for a text; Enter on an empty one, or on what stood there, does nothing. */
export function askText(
  browser: Browser,
  question: {
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
  },
): void {
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
