import { singleRate } from '../../engine/bandwidth-timetable.ts';
import { moveCursor } from '../../terminal/cursor-list.ts';
import type { Key } from '../../terminal/key.ts';
import {
  ACTIONS,
  HELP,
  type KeyRule,
  keyName,
  row,
  ruleOf,
  typing,
} from '../../terminal/key-table.ts';
import { SCROLL, stepOf } from '../../terminal/list-keys.ts';
import { type ScreenStep, StateScreen, stepTo } from '../../terminal/state-screen.ts';
import { type EditedText, editByKey, editText } from '../../terminal/text-edit.ts';

/** What the view shows instead of its last line. */
export type ViewMode =
  | { readonly kind: 'run' }
  /** The list of errors, from this line on. */
  | { readonly kind: 'errors'; readonly first: number }
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

export const RUN_MODE: ViewMode = { kind: 'run' };

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
  /** The last line that a list may begin with. */
  readonly lastFirst?: number;
}

type ViewStep = ScreenStep<ViewMode, ViewAction>;
type ViewRule = KeyRule<(mode: ViewMode, name: string, key: Key, run: ViewedRun) => ViewStep>;

const act =
  (type: Exclude<ViewAction['type'], 'limit'>): ViewRule['run'] =>
  (mode) =>
    stepTo(mode, { type });
const close: ViewRule['run'] = () => stepTo(RUN_MODE);
const STOP: ViewRule['run'] = () => stepTo(RUN_MODE, { type: 'stop' } as const);
/** Of keys that change how the run goes on: what is typed for the shell does not. */
const LONE = { alone: 'or-again' } as const;

const STOP_NOW: ViewRule = row(
  'Ctrl-C',
  'stop now',
  'stop immediately, discard unfinished files',
  () => stepTo(RUN_MODE, { type: 'end-now' } as const),
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

const ERRORS: ViewRule = row(
  'e',
  'errors',
  'list the errors',
  () => stepTo({ kind: 'errors', first: 0 }),
  LONE,
);

const RUN_KEYS: readonly ViewRule[] = [
  row('p', 'pause', 'pause or resume; also Space', act('pause-or-go-on'), {
    ...LONE,
    also: 'Space',
  }),
  row('q', 'stop', 'stop after the current files (also Ctrl-C)', STOP, LONE),
  row('+', 'transfers', 'more parallel transfers; also =', act('more'), {
    ...LONE,
    also: '=',
    short: '+ -',
  }),
  row('-', 'fewer transfers', 'fewer parallel transfers; also _', act('fewer'), {
    ...LONE,
    also: '_',
    short: '',
  }),
  ERRORS,
  row(
    'b',
    'limit',
    'limit the bandwidth: 500k, 10M, off',
    () => stepTo({ kind: 'limit', edited: editText('') }),
    LONE,
  ),
  { ...HELP, ...LONE, also: 'h', more: 'show or hide this page; also h' },
  { ...ACTIONS, ...LONE },
];

const TABLES: Readonly<Record<ViewMode['kind'], readonly ViewRule[]>> = {
  run: RUN_KEYS,
  stop: [
    row('y', 'yes, stop it', 'stop it after its current files', STOP, { ...LONE, confirms: true }),
    row('n', 'cancel', 'go back; also Esc, Enter and q', close, { also: 'Esc Enter q' }),
  ],
  errors: [
    { ...ERRORS, also: 'Esc', does: 'back', more: 'go back; also Esc', run: close },
    {
      ...SCROLL,
      run: (mode, name, _, { lastFirst = Number.POSITIVE_INFINITY }) =>
        stepTo(
          mode.kind === 'errors'
            ? { ...mode, first: moveCursor(mode.first, stepOf(name, 8), lastFirst + 1) }
            : mode,
        ),
    },
    ...RUN_KEYS.filter((rule) => rule !== ERRORS),
  ],
  limit: [
    {
      types: true,
      ...row('Enter', 'limit', '', (mode: ViewMode): ViewStep => {
        if (mode.kind !== 'limit' || mode.edited.text.trim() === '') return stepTo(RUN_MODE);
        const rate = singleRate(mode.edited.text.trim());
        return rate === undefined
          ? stepTo({ ...mode, complaint: 'Not a rate. Use 500k, 10M or off.' })
          : stepTo(RUN_MODE, { type: 'limit', rate } as const);
      }),
    },
    row('Esc', 'cancel', '', close),
    typing((mode, _, key) => {
      if (mode.kind !== 'limit') return stepTo(mode);
      return stepTo({ kind: 'limit', edited: editByKey(mode.edited, key) ?? mode.edited });
    }),
  ],
};

const DETACH: ViewRule = row('q', 'detach', 'leave this view; the run continues', act('detach'));
const DETACH_BY_SIGNAL: ViewRule = { ...DETACH, keys: 'Ctrl-C', short: '' };
const ASK_STOP: ViewRule = row(
  's',
  'stop',
  'stop the run after its current files (asks first)',
  () => stepTo({ kind: 'stop' }),
  LONE,
);

/** Keys that change how the run goes on. */
const STEERING = 'p + - b'.split(' ');

/** The keys that work now, the most important first. What answers what is not seen whole is none. */
export function viewKeys(
  kind: ViewMode['kind'],
  { isStopping, attachedTo, isFixed = false, isAsked = true }: ViewedRun,
): readonly ViewRule[] {
  const table = TABLES[kind].filter(
    ({ keys, confirms, types }) =>
      !(isFixed && STEERING.includes(keys)) && (isAsked || (confirms ?? types) === undefined),
  );
  const isAttached = attachedTo !== undefined;
  if (!isAttached && !isFixed) return [...table, isStopping ? STOP_NOW : STOP_THEN_NOW, ...SIGNALS];
  const leaving = isAttached ? [DETACH, ASK_STOP] : [DETACH];
  const watched = table.flatMap((rule) => (rule.keys === 'q' ? leaving : [rule]));
  return [...watched, DETACH_BY_SIGNAL, ...SIGNALS];
}

/** The keys of a run's view, as a screen. */
export class ViewScreen extends StateScreen<ViewMode, ViewAction> {
  readonly #run: () => ViewedRun;
  readonly #act: (action: ViewAction) => void;

  /**
   * @param run the run as it is now
   * @param act carries out what a key wants of it
   */
  constructor(run: () => ViewedRun, act: (action: ViewAction) => void) {
    super(RUN_MODE);
    this.#run = run;
    this.#act = act;
  }

  keys(): readonly ViewRule[] {
    return viewKeys(this.state.kind, this.#run());
  }

  asked(): string | undefined {
    return this.state.kind === 'stop' ? this.#run().attachedTo : undefined;
  }

  protected override takeKey(key: Key): ViewStep {
    const step = ruleOf(this.keys(), key)?.run(this.state, keyName(key), key, this.#run());
    return step ?? stepTo(this.state);
  }

  protected override carryOut(action: ViewAction): void {
    this.#act(action);
  }
}
