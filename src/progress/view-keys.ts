import { bandwidthAt, parseBandwidth } from '../kit/bandwidth-timetable.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { KeyHint } from '../screen/key-table.ts';
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

/** The keys of the view, the most important first. */
export const VIEW_HINTS: readonly KeyHint[] = [
  {
    keys: 'p',
    does: 'pause',
    more: 'pause or resume',
  },
  {
    keys: 'q',
    does: 'stop',
    more: 'stop after the current files (also Ctrl-C)',
  },
  { keys: '+ -', does: 'transfers', more: 'more or fewer parallel transfers' },
  { keys: 'b', does: 'limit', more: 'limit the bandwidth: 500k, 10M, off' },
  { keys: '?', does: 'keys', more: 'show or hide this list' },
  {
    keys: 'Ctrl-C Ctrl-C',
    does: 'stop now',
    more: 'twice: stop immediately, discard unfinished files',
  },
  { keys: 'Ctrl-Z', does: 'suspend', more: 'suspend; fg resumes' },
];

/**
 * What a key does. `isStopping`: the run is being brought to its end already, so that Ctrl-C ends it at once. Pure.
 */
export function pressViewKey(mode: ViewMode, key: Key, isStopping: boolean): KeyOutcome {
  if (isCtrl(key, 'c'))
    return { mode: RUN_MODE, action: { type: isStopping ? 'end-now' : 'stop' } };
  if (isCtrl(key, 'z')) return { mode, action: { type: 'suspend' } };
  if (isCtrl(key, '\\')) return { mode, action: { type: 'quit' } };
  if (mode.kind === 'limit') return typeLimit(mode.edited, key);
  switch (typed(key)) {
    case 'p':
    case ' ':
      return { mode, action: { type: 'pause-or-go-on' } };
    case '+':
    case '=':
      return { mode, action: { type: 'more' } };
    case '-':
    case '_':
      return { mode, action: { type: 'fewer' } };
    case 'b':
      return { mode: { kind: 'limit', edited: editText('') } };
    case 'q':
      return { mode: RUN_MODE, action: { type: 'stop' } };
    case '?':
    case 'h':
      return { mode: mode.kind === 'help' ? RUN_MODE : { kind: 'help' } };
    default:
      return { mode: key.name === 'escape' ? RUN_MODE : mode };
  }
}

function typeLimit(edited: EditedText, key: Key): KeyOutcome {
  if (key.name === 'escape') return { mode: RUN_MODE };
  if (key.name === 'enter') {
    if (edited.text.trim() === '') return { mode: RUN_MODE };
    const rate = rateOf(edited.text.trim());
    if (rate === undefined)
      return { mode: { kind: 'limit', edited, complaint: 'not a rate: 500k, 10M or off' } };
    return { mode: RUN_MODE, action: { type: 'limit', rate } };
  }
  return { mode: { kind: 'limit', edited: editByKey(edited, key) ?? edited } };
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
