import { singleRate } from '../../engine/bandwidth-timetable.ts';
import {
  type ActionSearch,
  chosenAction,
  type FoundActions,
  moveAction,
  NOTHING_TYPED,
  typeAction,
} from '../../terminal/action-screen.ts';
import type { Key } from '../../terminal/key.ts';
import {
  ACTIONS,
  actionsIn,
  type KeyRule,
  keyName,
  keyNamed,
  READ_MS,
  row,
  ruleOf,
} from '../../terminal/key-table.ts';
import { stepOf } from '../../terminal/list-keys.ts';
import { ReadQuestion } from '../../terminal/read-question.ts';
import { type EditedText, editByKey, editText } from '../../terminal/text-edit.ts';

/** What the view shows instead of its last line. */
export type ViewMode =
  | { readonly kind: 'run' }
  /** The list of keys, or of errors, from this line on. */
  | { readonly kind: 'help' | 'errors'; readonly first: number }
  /** All keys, found by what they do. */
  | (ActionSearch & { readonly kind: 'actions' })
  /** Whether to stop the run that is watched from another process. */
  | { readonly kind: 'stop' }
  /** A bandwidth is being typed. */
  | { readonly kind: 'limit'; readonly edited: EditedText; readonly complaint?: string };

/** What a key wants of the run. */
export type ViewAction =
  | {
      readonly type:
        | 'pause-or-go-on'
        | 'more'
        | 'fewer'
        | 'stop'
        | 'end-now'
        | 'suspend'
        | 'quit'
        | 'detach';
    }
  /** In bytes a second; Infinity: no limit. */
  | { readonly type: 'limit'; readonly rate: number };

/** A mode, and what is to be done. */
export interface KeyOutcome {
  readonly mode: ViewMode;
  readonly action?: ViewAction;
}

/** No question is open. */
export const RUN_MODE: ViewMode = { kind: 'run' };

type ViewRule = KeyRule<(mode: ViewMode, name: string, key: Key, run: ViewedRun) => KeyOutcome>;

const act =
  (type: Exclude<ViewAction['type'], 'limit'>): ViewRule['run'] =>
  (mode) => ({ mode, action: { type } });
const STOP: ViewRule['run'] = () => ({ mode: RUN_MODE, action: { type: 'stop' } });

const STOP_NOW: ViewRule = row(
  'Ctrl-C',
  'stop now',
  'stop immediately, discard unfinished files',
  () => ({ mode: RUN_MODE, action: { type: 'end-now' } }),
  { short: '' },
);

const STOP_THEN_NOW: ViewRule = {
  ...STOP_NOW,
  keys: 'Ctrl-C Ctrl-C',
  more: 'twice: stop immediately, discard unfinished files',
  run: STOP,
};

const SIGNALS: readonly ViewRule[] = [
  row('Ctrl-Z', 'suspend', 'suspend; fg resumes', act('suspend'), { short: '' }),
  row('Ctrl-\\', 'abort', 'abort with SIGQUIT', act('quit'), { short: '' }),
];

/** Lines that a page key scrolls. */
const PAGE = 8;

const ERRORS: ViewRule = row(
  'e',
  'errors',
  'list the errors',
  () => ({ mode: { kind: 'errors', first: 0 } }),
  { alone: true },
);

const HELP: ViewRule = row(
  '?',
  'keys',
  'show or hide this list; also h',
  () => ({ mode: { kind: 'help', first: 0 } }),
  { also: 'h', alone: true },
);

const SCROLL: ViewRule = row(
  '↑↓',
  'scroll',
  'scroll; also j and k, PgUp and PgDn, Home and End',
  scroll,
  { also: 'j k PgUp PgDn Home End' },
);

/** The keys of a list, which one of the run's keys opens and closes. */
const listKeys = (key: ViewRule, also: string): readonly ViewRule[] => [
  {
    ...key,
    also,
    does: 'back',
    more: `go back; also ${also.replace(' ', ' and ')}`,
    run: () => ({ mode: RUN_MODE }),
  },
  SCROLL,
  ...RUN_KEYS.filter((rule) => rule !== key),
];

const RUN_KEYS: readonly ViewRule[] = [
  row('p', 'pause', 'pause or resume; also Space', act('pause-or-go-on'), {
    also: 'Space',
    alone: true,
  }),
  row('q', 'stop', 'stop after the current files (also Ctrl-C)', STOP, { alone: true }),
  row('+', 'transfers', 'more parallel transfers; also =', act('more'), {
    also: '=',
    alone: true,
    short: '+ -',
  }),
  row('-', 'fewer transfers', 'fewer parallel transfers; also _', act('fewer'), {
    also: '_',
    alone: true,
    short: '',
  }),
  ERRORS,
  row(
    'b',
    'limit',
    'limit the bandwidth: 500k, 10M, off',
    () => ({ mode: { kind: 'limit', edited: editText('') } }),
    { alone: true },
  ),
  HELP,
  {
    ...ACTIONS,
    alone: true,
    run: () => ({ mode: { kind: 'actions', ...NOTHING_TYPED } }),
  },
];

const TABLES: Readonly<Record<ViewMode['kind'], readonly ViewRule[]>> = {
  run: RUN_KEYS,
  help: listKeys(HELP, 'h Esc'),
  stop: [
    row('y', 'yes, stop it', 'stop it after its current files', STOP, {
      alone: true,
      confirms: true,
    }),
    row('n', 'cancel', 'go back; also Esc, Enter and q', () => ({ mode: RUN_MODE }), {
      also: 'Esc Enter q',
    }),
  ],
  errors: listKeys(ERRORS, 'Esc'),
  actions: [
    row('Enter', 'run', '', runAction, { confirms: true }),
    row(
      '↑↓',
      'move',
      '',
      (mode, name, _, run) =>
        find(mode, (at) => moveAction(at, stepOf(name, PAGE), foundActions(at, run))),
      { confirms: true },
    ),
    row('Esc', 'back', '', () => ({ mode: RUN_MODE })),
    row('any key', '', '', (mode, _, key) => find(mode, (at) => typeAction(at, key)), {
      confirms: true,
    }),
  ],
  limit: [
    row('Enter', 'limit', '', setLimit, { confirms: true }),
    row('Esc', 'cancel', '', () => ({ mode: RUN_MODE })),
    row('any key', '', '', (mode, _, key) => ({ mode: typeLimit(mode, key) }), { confirms: true }),
  ],
};

/** The run that a view is of: this process's own, or one that it watches. */
export interface ViewedRun {
  /** Ctrl-C ends the own run immediately. */
  readonly isStopping: boolean;
  /** The run of another process, which goes on when the view is left: how a question names it. */
  readonly attachedTo?: string;
  /** It cannot be paused, nor its transfers and bandwidth changed: others work on it. */
  readonly isFixed?: boolean;
  /** `false`: what is asked, or typed, is not seen whole. */
  readonly isAsked?: boolean;
}

const DETACH: ViewRule = row('q', 'detach', 'leave this view; the run continues', act('detach'));
const DETACH_BY_SIGNAL: ViewRule = { ...DETACH, keys: 'Ctrl-C', short: '' };
const ASK_STOP: ViewRule = row(
  's',
  'stop',
  'stop the run after its current files (asks first)',
  () => ({ mode: { kind: 'stop' } }),
  { alone: true },
);

/** Keys that change how the run goes on. */
const STEERING = 'p + - b'.split(' ');

/** The keys that work now, the most important first. */
export function viewKeys(
  kind: ViewMode['kind'],
  { isStopping, attachedTo, isFixed = false, isAsked = true }: ViewedRun,
): readonly ViewRule[] {
  const table = TABLES[kind].filter(
    ({ keys, confirms }) => !(isFixed && STEERING.includes(keys)) && (isAsked || confirms !== true),
  );
  const isAttached = attachedTo !== undefined;
  if (!isAttached && !isFixed) return [...table, isStopping ? STOP_NOW : STOP_THEN_NOW, ...SIGNALS];
  const leaving = isAttached ? [DETACH, ASK_STOP] : [DETACH];
  const watched = table.flatMap((rule) => (rule.keys === 'q' ? leaving : [rule]));
  return [...watched, DETACH_BY_SIGNAL, ...SIGNALS];
}

/** What a key does. Pure. */
export function pressViewKey(mode: ViewMode, key: Key, run: ViewedRun): KeyOutcome {
  const rule = ruleOf(viewKeys(mode.kind, run), key);
  return rule?.run(mode, keyName(key), key, run) ?? { mode };
}

/** Whether a key counts only alone; `undefined` for what goes into a field, and for No: text typed for the shell is neither. */
export function countsAlone(mode: ViewMode, key: Key, run: ViewedRun): boolean | undefined {
  if (mode.kind === 'limit' || mode.kind === 'actions') return undefined;
  const rule = ruleOf(viewKeys(mode.kind, run), key);
  if (mode.kind === 'stop' && rule?.keys === 'n') return undefined;
  return rule?.alone === true;
}

/** Whether a key confirms what is asked. */
export function confirmsAsked(mode: ViewMode, key: Key, run: ViewedRun): boolean {
  return ruleOf(viewKeys(mode.kind, run), key)?.confirms === true;
}

function scroll(mode: ViewMode, name: string): KeyOutcome {
  if (!('first' in mode)) return { mode };
  return { mode: { ...mode, first: Math.max(0, mode.first + stepOf(name, PAGE)) } };
}

/** The actions with the typed words in their names. */
export function foundActions(
  { typed }: ActionSearch,
  run: Omit<ViewedRun, 'isStopping'> = {},
): FoundActions {
  return actionsIn(viewKeys('run', { ...run, isStopping: false }), typed.text);
}

function runAction(mode: ViewMode, _name: string, _key: Key, run: ViewedRun): KeyOutcome {
  if (mode.kind !== 'actions') return { mode };
  const action = chosenAction(mode, foundActions(mode, run));
  if (action === undefined) return { mode };
  return pressViewKey(RUN_MODE, keyNamed(action.key), { ...run, isStopping: false });
}

function find(mode: ViewMode, next: (finding: ActionSearch) => ActionSearch): KeyOutcome {
  return { mode: mode.kind === 'actions' ? { kind: 'actions', ...next(mode) } : mode };
}

function setLimit(mode: ViewMode): KeyOutcome {
  if (mode.kind !== 'limit' || mode.edited.text.trim() === '') return { mode: RUN_MODE };
  const rate = singleRate(mode.edited.text.trim());
  if (rate === undefined)
    return { mode: { ...mode, complaint: 'Not a rate. Use 500k, 10M or off.' } };
  return { mode: RUN_MODE, action: { type: 'limit', rate } };
}

function typeLimit(mode: ViewMode, key: Key): ViewMode {
  if (mode.kind !== 'limit') return mode;
  return { kind: 'limit', edited: editByKey(mode.edited, key) ?? mode.edited };
}

/**
 * Separates keys from text that was typed for the shell: a key that counts only alone is pressed once no other key has come
 * within `READ_MS` before or behind it. The same key again is no other key.
 */
export class LoneKeys {
  readonly #press: (key: Key) => void;
  readonly #nowMs: () => number;
  readonly #question: ReadQuestion;
  #last: { readonly name: string; readonly atMs: number; readonly isText: boolean } | undefined;

  /** @param nowMs milliseconds from any start */
  constructor(nowMs: () => number, press: (key: Key) => void) {
    this.#nowMs = nowMs;
    this.#question = new ReadQuestion(nowMs);
    this.#press = press;
  }

  /** The view has been drawn, with a question or without. */
  show(isAsked: boolean): void {
    if (isAsked) this.#question.show();
    else this.#question.hide();
  }

  /**
   * @param isAlone `undefined`: it is no text for the shell, and neither was what came before it
   * @param confirms it counts only once the question could be read
   */
  take(key: Key, isAlone: boolean | undefined, confirms: boolean): void {
    const canAnswer = this.#question.take();
    const [name, atMs, last] = [keyName(key), this.#nowMs(), this.#last];
    const held = this.#forget();
    if (isAlone === undefined) return void this.#press(key);
    const isSame = last?.name === name;
    const isBehind = last !== undefined && atMs - last.atMs < READ_MS;
    const isText = isBehind && (!isSame || last.isText);
    this.#last = { name, atMs, isText };
    if (held === name) this.#press(key);
    if (!isAlone) this.#press(key);
    else if (!isText && (canAnswer || !confirms)) this.#question.hold(key, this.#press);
  }

  /** The view is no longer seen: forgets what was typed, and a key that is not pressed yet. */
  drop(): void {
    this.#question.hide();
    this.#forget();
  }

  /** The name of the key that was not pressed yet. */
  #forget(): string | undefined {
    this.#last = undefined;
    return this.#question.drop();
  }
}
