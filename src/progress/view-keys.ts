import { bandwidthAt, parseBandwidth } from '../kit/bandwidth-timetable.ts';
import type { Key } from '../screen/key.ts';
import { type KeyRule, keyName, ruleOf } from '../screen/key-table.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';

/** What the view shows in place of its last line. */
export type ViewMode =
  | { readonly kind: 'run' }
  | { readonly kind: 'help' }
  /** A bandwidth is being typed. */
  | { readonly kind: 'limit'; readonly edited: EditedText; readonly complaint?: string };

/** What a key wants of the run. */
export type ViewAction =
  | { readonly type: 'pause-or-go-on' | 'more' | 'fewer' | 'stop' | 'end-now' | 'suspend' | 'quit' }
  /** In bytes a second; Infinity: no limit. */
  | { readonly type: 'limit'; readonly rate: number };

/** A mode, and what is to be done. */
export interface KeyOutcome {
  readonly mode: ViewMode;
  readonly action?: ViewAction;
}

/** No question is open. */
export const RUN_MODE: ViewMode = { kind: 'run' };

type ViewRule = KeyRule<(mode: ViewMode, name: string, key: Key) => KeyOutcome>;

const act =
  (type: Exclude<ViewAction['type'], 'limit'>): ViewRule['run'] =>
  (mode) => ({ mode, action: { type } });
const STOP: ViewRule['run'] = () => ({ mode: RUN_MODE, action: { type: 'stop' } });

const STOP_NOW: ViewRule = {
  keys: 'Ctrl-C',
  short: '',
  does: 'stop now',
  more: 'stop immediately, discard unfinished files',
  run: () => ({ mode: RUN_MODE, action: { type: 'end-now' } }),
};

const STOP_THEN_NOW: ViewRule = {
  ...STOP_NOW,
  keys: 'Ctrl-C Ctrl-C',
  more: 'twice: stop immediately, discard unfinished files',
  run: STOP,
};

const SIGNALS: readonly ViewRule[] = [
  {
    keys: 'Ctrl-Z',
    short: '',
    does: 'suspend',
    more: 'suspend; fg resumes',
    run: act('suspend'),
  },
  { keys: 'Ctrl-\\', short: '', does: 'abort', more: 'abort with SIGQUIT', run: act('quit') },
];

const RUN_KEYS: readonly ViewRule[] = [
  {
    keys: 'p',
    also: 'Space',
    does: 'pause',
    more: 'pause or resume; also Space',
    run: act('pause-or-go-on'),
  },
  {
    keys: 'q',
    does: 'stop',
    more: 'stop after the current files (also Ctrl-C)',
    run: STOP,
  },
  {
    keys: '+ -',
    also: '= _',
    does: 'transfers',
    more: 'more or fewer parallel transfers; also = and _',
    run: (mode, name) => ({ mode, action: { type: '+='.includes(name) ? 'more' : 'fewer' } }),
  },
  {
    keys: 'b',
    does: 'limit',
    more: 'limit the bandwidth: 500k, 10M, off',
    run: () => ({ mode: { kind: 'limit', edited: editText('') } }),
  },
  {
    keys: '?',
    also: 'h',
    does: 'keys',
    more: 'show or hide this list; also h',
    run: (mode) => ({ mode: mode.kind === 'help' ? RUN_MODE : { kind: 'help' } }),
  },
];

const TABLES: Readonly<Record<ViewMode['kind'], readonly ViewRule[]>> = {
  run: RUN_KEYS,
  help: [...RUN_KEYS, { keys: 'Esc', does: '', run: () => ({ mode: RUN_MODE }) }],
  limit: [
    { keys: 'Enter', does: 'limit', run: setLimit },
    { keys: 'Esc', does: 'cancel', run: () => ({ mode: RUN_MODE }) },
    { keys: 'any key', does: '', run: (mode, _, key) => ({ mode: typeLimit(mode, key) }) },
  ],
};

/** The keys that work now, the most important first. `isStopping`: Ctrl-C ends the run immediately. */
export function viewKeys(kind: ViewMode['kind'], isStopping: boolean): readonly ViewRule[] {
  const ctrlC = isStopping ? STOP_NOW : STOP_THEN_NOW;
  return [...TABLES[kind], ctrlC, ...SIGNALS];
}

/** What a key does. Pure. */
export function pressViewKey(mode: ViewMode, key: Key, isStopping: boolean): KeyOutcome {
  return ruleOf(viewKeys(mode.kind, isStopping), key)?.run(mode, keyName(key), key) ?? { mode };
}

function setLimit(mode: ViewMode): KeyOutcome {
  if (mode.kind !== 'limit' || mode.edited.text.trim() === '') return { mode: RUN_MODE };
  const rate = rateOf(mode.edited.text.trim());
  if (rate === undefined) return { mode: { ...mode, complaint: 'not a rate: 500k, 10M or off' } };
  return { mode: RUN_MODE, action: { type: 'limit', rate } };
}

function typeLimit(mode: ViewMode, key: Key): ViewMode {
  if (mode.kind !== 'limit') return mode;
  return { kind: 'limit', edited: editByKey(mode.edited, key) ?? mode.edited };
}

/** A rate as `--bwlimit` takes it, without rates of their own for the two directions and without times. */
function rateOf(text: string): number | undefined {
  if (/[ ,:]/.test(text)) return undefined;
  try {
    const { upload } = bandwidthAt(parseBandwidth(text), new Date(0));
    return upload ?? Number.POSITIVE_INFINITY;
  } catch {
    return undefined;
  }
}
