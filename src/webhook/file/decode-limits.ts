import { parseDuration } from '../../go/duration.ts';
import type { FieldReader } from './field-reader.ts';
import type { RunLimits } from './hook.ts';

/** Runs of a hook that may wait where its file does not say how many. */
const DEFAULT_QUEUE_SIZE = 100;
/** What a timer can wait for, with room for what comes after it. */
const MAX_TIMER_MS = 2 ** 31 - 60_000;

/** Reads what limits the runs of a hook; `undefined` where nothing does. Throws `HookFileFault`. */
export function decodeLimits(fields: FieldReader): RunLimits | undefined {
  const coalesce = fields.bool('coalesce');
  const maxConcurrency = fields.count('max-concurrency') || (coalesce ? 1 : 0);
  const rate = decodeRate(fields);
  const onFull = fields.word('on-full', ['reject', 'drop-newest', 'drop-oldest']);
  const queueSize = fields.count('queue-size');
  for (const name of ['queue-size', 'on-full']) {
    if (fields.has(name) && maxConcurrency === 0) {
      throw fields.fault(name, 'has no effect without max-concurrency');
    }
  }
  if (maxConcurrency === 0 && rate === undefined) return undefined;
  return {
    maxConcurrency,
    queueSize: fields.has('queue-size') ? queueSize : DEFAULT_QUEUE_SIZE,
    onFull: onFull ?? 'reject',
    coalesce,
    ...(rate && { rate }),
  };
}

/** `10/s`, `100/1m30s`. */
function decodeRate(fields: FieldReader): RunLimits['rate'] {
  const text = fields.text('rate-limit');
  if (text === '') return undefined;
  const [, count = '', per = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  const perMs = duration(/^\d/.test(per) ? per : `1${per}`);
  if (Number(count) > 0 && perMs !== undefined && perMs > 0) return { count: Number(count), perMs };
  throw fields.fault('rate-limit', 'must be a number of runs and a time, such as 10/s or 100/1m');
}

/** Reads a hook's `command-timeout`, in milliseconds; 0 where there is none. Throws `HookFileFault`. */
export function decodeTimeout(fields: FieldReader): number {
  const text = fields.text('command-timeout');
  if (text === '') return 0;
  const ms = duration(text);
  if (ms !== undefined && ms < MAX_TIMER_MS) return ms;
  throw fields.fault('command-timeout', 'must be a duration such as 30s');
}

/** Milliseconds; `undefined` for what is no length of time. */
function duration(text: string): number | undefined {
  if (!/^[\d.]+(?:ns|us|µs|ms|s|m|h|$)/.test(text)) return undefined;
  try {
    return parseDuration(text, 0);
  } catch {
    return undefined;
  }
}
