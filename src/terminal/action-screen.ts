import { fill } from './cells.ts';
import { cursorList, moveCursor } from './cursor-list.ts';
import { ENLARGE } from './drawn-question.ts';
import { fieldLine } from './field-line.ts';
import { helpLines, scrolledBy } from './help-lines.ts';
import { type Key, type MouseAct, namedKey } from './key.ts';
import {
  actionsIn,
  type KeyRule,
  keyName,
  keyNamed,
  keysIn,
  row,
  ruleOf,
  spelled,
  typing,
} from './key-table.ts';
import { SCROLL, stepOf } from './list-keys.ts';
import { type Glyphs, type Look, UNICODE_GLYPHS } from './look.ts';
import { ReadQuestion } from './read-question.ts';
import { contentRows, layoutOf } from './screen-layout.ts';
import type { KeyedScreen, LendTerminal, Size } from './screen-model.ts';
import { type FrameLine, type Line, span } from './span.ts';
import { type EditedText, editByKey, editText } from './text-edit.ts';

type Rule = KeyRule<(name: string, key: Key) => void>;

/** Rows of a window that shows something of the screen beside its head, its state and its keys. */
const LEAST_ROWS = 4;
const BOX: Size = { columns: 60, rows: 14 };
/** How far the wheel moves. */
const WHEEL_LINES = 3;

/** A list as it is drawn in the window, for the mouse. */
export interface DrawnList {
  /** A click on the line of the cursor is Enter; never where Enter would confirm. */
  readonly opens: boolean;
  /** Of two lists side by side the one with the keys. */
  readonly isActive: boolean;
  readonly cursor: number | undefined;
  /** The place of the item at a point; without `at` on a line that is none; `undefined` outside of the list. */
  placeOf(act: MouseAct): { readonly at: number | undefined } | undefined;
}

/**
 * A screen with `?`, which shows what its keys do, and `:`, which finds every action of its key table by its name, and
 * presses its key. Keys that were typed ahead or are held down confirm nothing, nor does a key confirm anything while its
 * question is not drawn whole. Rows with `alone`, and on their screens `:`, take no key with another one within `READ_MS`
 * before it; rows with `alone` also none behind it.
 */
export class ActionScreen<Result> implements KeyedScreen<Result> {
  readonly result: Promise<Result>;
  readonly #below: KeyedScreen<Result>;
  readonly #listeners = new Set<() => void>();
  finding: ActionSearch | undefined;
  /** The first line of what the keys do; `undefined`: that is not shown. */
  helpFrom: number | undefined;
  /** The last key did not come too early for the screen to have been read; nor behind another one. */
  #isRead = true;
  #isQuiet = true;
  readonly #lists = new Set<DrawnList>();
  /** The version that the window shows, and whether a key has come since. */
  #drawnVersion = 0;
  #isPressed = false;
  /** The question that stands whole in the window, and the size of that. */
  #whole: { readonly asked: unknown; readonly size: Size } | undefined;
  #size: Size | undefined;
  /** A key that counts only once the screen could be read, or only alone, did not count: which one. */
  #early: string | undefined;
  readonly #question: ReadQuestion | undefined;
  #version = 0;

  /** @param nowMs milliseconds from any start; absent: keys come from a script, and each counts */
  constructor(below: KeyedScreen<Result>, nowMs?: () => number) {
    this.#question = nowMs && new ReadQuestion(nowMs);
    this.#below = below;
    this.result = below.result;
  }

  /** Something was read at this time that is no key: what comes close behind it confirms nothing. */
  passOver(readMs?: number): void {
    this.#question?.take(readMs);
  }

  /** Whether the last key came too early to count; what is shown says so. */
  isEarly(): boolean {
    return this.#early !== undefined;
  }

  keys(): readonly KeyRule<unknown>[] {
    return this.#overKeys() ?? this.#below.keys();
  }

  /** @param readMs when the key was read, by `performance.now()`; default: now */
  press(key: Key, readMs?: number): void {
    this.#isPressed = true;
    this.#isRead = this.#question?.take(readMs) ?? true;
    this.#isQuiet = this.#question?.isQuiet ?? true;
    const dropped = this.#question?.drop();
    const over = this.#overKeys();
    if (over !== undefined) {
      ruleOf(over, key)?.run(keyName(key), key);
      return;
    }
    const rule = ruleOf(this.#below.keys(), key);
    const finds = rule?.opens === 'actions';
    const confirms = rule?.confirms === true;
    const isAgain = rule?.alone === 'or-again' && dropped === keyName(key);
    if (isAgain) this.#pressLone(key);
    const isLone = rule?.alone !== undefined || (finds && this.#hasLoneKeys());
    if ((confirms || isLone) && !isAgain && !this.#counts(rule)) {
      this.#early = keyName(key);
      this.#changed();
      return;
    }
    if (finds) {
      this.#find(NOTHING_TYPED);
      return;
    }
    if (confirms && !this.#isShown()) return;
    if (rule?.types === true || rule?.keys === 'n') this.#question?.forget();
    const lost = isAgain ? undefined : dropped;
    this.#early = lost ?? (this.#counts(rule) ? undefined : this.#early);
    // In a line that was read whole, no other key can follow.
    const waits = rule?.alone !== undefined && readMs === undefined ? this.#question : undefined;
    if (waits !== undefined) waits.hold(key, (held) => this.#pressLone(held));
    else this.#act(key, rule);
  }

  #act(key: Key, rule: KeyRule<unknown> | undefined): void {
    const asked = this.#asks();
    const question = this.#below.asked?.();
    this.#below.press(key);
    if (rule?.opens === 'help') this.#help(0);
    // What was said of a key is not said of another question.
    if (question !== this.#below.asked?.()) this.#early = undefined;
    if (rule?.confirms === true || asked !== this.#asks()) this.#question?.hide();
  }

  /** The screen may have changed since the key was typed. */
  #pressLone(key: Key): void {
    const rule = ruleOf(this.#below.keys(), key);
    const isLone = rule?.alone === 'or-again' || (rule?.alone === true && this.#hasLoneKeys());
    if (isLone) this.#act(key, rule);
  }

  /** Whether the last key, of a row that confirms or counts only alone, came late enough. */
  #counts(rule: KeyRule<unknown> | undefined): boolean {
    return rule?.alone === 'or-again' && rule.confirms !== true ? this.#isQuiet : this.#isRead;
  }

  /** Whether keys that count only alone can be used: in a window that shows what they are about. */
  #hasLoneKeys(): boolean {
    const isLow = this.#size !== undefined && this.#size.rows < LEAST_ROWS;
    return !isLow && this.#below.keys().some(({ alone }) => alone === true);
  }

  #asks(): boolean {
    return this.#below.keys().some(({ confirms }) => confirms === true);
  }

  /** Whether the question, as it is now, is drawn whole in the window as it is now. */
  #isShown(): boolean {
    const { asked, size } = this.#whole ?? {};
    const now = this.#size ?? size;
    const isSame = size?.columns === now?.columns && size?.rows === now?.rows;
    return size !== undefined && isSame && asked === this.#below.asked?.();
  }

  /** The window shows the screen as it is now. @param isWhole with all of its question, and the keys that answer it */
  drew(size: Size, isWhole: boolean): void {
    this.#drawnVersion = this.version();
    this.#isPressed = false;
    this.#whole = isWhole ? { asked: this.#below.asked?.(), size } : undefined;
    if (this.#asks() ? this.#isShown() : this.#hasLoneKeys()) this.#question?.show();
    else this.#question?.hide();
  }

  /** A list is drawn. @returns it is no more */
  addList(list: DrawnList): () => void {
    this.#lists.add(list);
    return () => void this.#lists.delete(list);
  }

  /** What is said of a key that did not count; `''`: nothing. */
  note(): string {
    if (this.#early === undefined) return '';
    const isLow = this.#size !== undefined && this.#size.rows < LEAST_ROWS && !this.#asks();
    return isLow ? ENLARGE : `Press ${this.#early} again: it came before this could be read`;
  }

  /** What the keys do, as lines of a page. */
  helpLines(columns: number, look: Pick<Look, 'glyphs'>): readonly Line[] {
    const keys = this.#below.keys();
    const more = keys.flatMap(({ below }) => below?.(columns, look) ?? []);
    return [...helpLines(keys, columns, look), ...more];
  }

  /** What is typed behind `:`. */
  searchLine(columns: number, glyphs: Glyphs): Line {
    const { typed } = this.finding ?? NOTHING_TYPED;
    return fieldLine({ label: ':', edited: typed }, columns, glyphs);
  }

  /** What `:` finds, around its cursor. */
  foundLines(room: Size, glyphs: Glyphs): readonly FrameLine[] {
    const finding = this.finding ?? NOTHING_TYPED;
    const found = this.#found(finding);
    if (found.length === 0) return [{ line: [span('no action of this name', 'dim')] }];
    return cursorList(found, finding.cursor, room, glyphs, ({ key, name }, selected) => [
      span(fill(spelled(key, glyphs), 7, ''), 'key', true),
      span(spelled(name, glyphs), selected ? 'cursor' : 'plain', selected),
    ]);
  }

  /**
   * Takes the mouse, as keys: a click moves the cursor to its line, and opens the line of the cursor; the wheel moves or
   * scrolls. It is no answer to a question.
   */
  point(act: MouseAct): void {
    const list = [...this.#lists].find((one) => one.placeOf(act) !== undefined);
    const isOther = list?.isActive === false;
    // Behind a key or a click in the same read, what is below the mouse is not what the user saw.
    if (act.kind === 'click' && this.#isPressed && this.#drawnVersion !== this.version()) return;
    if (isOther && !this.#pressOwn('tab')) return;
    const move = (way: 'up' | 'down', lines: number) => {
      for (let left = lines; left > 0; left--) this.#pressOwn(way);
    };
    if (act.kind !== 'click') {
      move(act.kind === 'wheel-up' ? 'up' : 'down', WHEEL_LINES);
      if (isOther) this.#pressOwn('tab');
      return;
    }
    const { cursor, opens = false } = list ?? {};
    const at = list?.placeOf(act)?.at;
    if (at === undefined || cursor === undefined) return;
    if (at === cursor && opens && !isOther) this.#pressOwn('enter');
    move(at < cursor ? 'up' : 'down', Math.abs(at - cursor));
  }

  /** Whether a key does something now. */
  takes(key: Key): boolean {
    return ruleOf(this.keys(), key) !== undefined;
  }

  /** Whether what is typed now is a text and not single keys. */
  takesText(): boolean {
    return this.keys().some(({ types }) => types === true);
  }

  isWaiting(): boolean {
    return this.#below.isWaiting?.() === true;
  }

  takeTerminal(lend: LendTerminal): void {
    this.#below.takeTerminal?.(lend);
  }

  resize(size: Size): void {
    this.#size = size;
    this.#below.resize(size);
  }

  /** Another program has had the terminal: what was drawn last is not seen. */
  hide(): void {
    this.#question?.drop();
    this.#question?.hide();
    this.#changed();
  }

  subscribe(listener: () => void): () => void {
    const stop = this.#below.subscribe(listener);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  version(): number {
    return this.#version + this.#below.version();
  }

  /** Presses a key that the table names; whether it does. */
  #pressOwn(name: 'up' | 'down' | 'enter' | 'tab'): boolean {
    const key = namedKey(name);
    const isOwn = this.keys().some(({ keys, also = '' }) =>
      [keys, also].some((all) => keysIn(all).includes(keyName(key))),
    );
    if (isOwn) this.press(key);
    return isOwn;
  }

  #find(finding: ActionSearch | undefined): void {
    this.finding = finding;
    this.#changed();
  }

  #help(from: number | undefined): void {
    this.helpFrom = from;
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  /** The actions of this name; none that answers a question, which the list may hide. */
  #found({ typed }: ActionSearch) {
    const keys = this.#below.keys().filter(({ confirms }) => confirms !== true);
    return actionsIn(keys, typed.text);
  }

  /** The keys of what lies over the screen; `undefined`: nothing does. */
  #overKeys(): readonly Rule[] | undefined {
    if (this.helpFrom !== undefined) return this.#helpKeys(this.helpFrom);
    return this.finding && this.#findKeys(this.finding);
  }

  #helpKeys(from: number): readonly Rule[] {
    const { inner } = layoutOf(this.#size ?? { columns: 80, rows: 24 }, false);
    const rows = contentRows(inner);
    const total = this.helpLines(inner.columns, { glyphs: UNICODE_GLYPHS }).length;
    const scroll = (name: string) => this.#help(scrolledBy(from, stepOf(name, rows), total, rows));
    return [
      { ...SCROLL, does: total > rows ? SCROLL.does : '', run: scroll },
      row('any key', 'goes back', '', () => this.#help(undefined)),
      this.#leave(() => this.#help(undefined)),
    ];
  }

  /** The row for Ctrl-C, which is the screen's own key. */
  #leave(close: () => void): Rule {
    return row('Ctrl-C', '', '', (_, key) => {
      close();
      this.#below.press(key);
    });
  }

  #findKeys(finding: ActionSearch): readonly Rule[] {
    const found = this.#found(finding);
    const run = () => {
      // None behind a `:` alone, which may have been typed for the shell: that is no choice.
      const isChosen = finding.isMoved === true || finding.typed.text.trim() !== '';
      const action = isChosen ? found[finding.cursor] : undefined;
      if (action === undefined || !showsFound(this.#size)) return;
      const key = keyNamed(action.key);
      const rule = ruleOf(this.#below.keys(), key);
      // Typed ahead for the shell, `scp x host:a` would be its choice.
      if (rule?.alone !== undefined && !this.#counts(rule)) return;
      this.#find(undefined);
      this.#act(key, rule);
    };
    const { typed } = finding;
    const move = (name: string) => {
      const cursor = moveCursor(finding.cursor, stepOf(name, BOX.rows), found.length);
      this.#find({ typed, cursor, isMoved: true });
    };
    const edit = (_: string, key: Key) =>
      this.#find({ typed: editByKey(typed, key) ?? typed, cursor: 0 });
    return [
      row('Enter', 'run', '', run),
      row('↑↓', 'move', '', move),
      row('Esc', 'back', '', () => this.#find(undefined)),
      this.#leave(() => this.#find(undefined)),
      typing(edit),
    ];
  }
}

/** The search for an action by its name: what was typed, and the cursor among what that finds. */
export interface ActionSearch {
  readonly typed: EditedText;
  readonly cursor: number;
  /** The cursor was moved since something was typed. */
  readonly isMoved?: boolean;
}

/** Whether a window has room for what is typed behind `:` and a line of what that finds. */
export const showsFound = ({ columns, rows }: Size = BOX): boolean => rows > 2 && columns > 8;

/** A search that begins. */
const NOTHING_TYPED: ActionSearch = { typed: editText(''), cursor: 0 };
