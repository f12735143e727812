import { SyncerError } from '../../core/errors.ts';
import { singleRate } from '../../kit/bandwidth-timetable.ts';

/** What `syncer set` changes. */
export interface RunSettings {
  readonly transfers?: number;
  /** In bytes a second. */
  readonly bwlimit?: number | 'off';
}

/** Reads `transfers=4 bwlimit=10M`. Throws `usage` for anything else. */
export function parseSettings(words: readonly string[]): RunSettings {
  return Object.assign({}, ...words.map(parseSetting));
}

function parseSetting(word: string): RunSettings {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(word) ?? [];
  if (name === 'transfers' && /^[1-9]\d{0,5}$/.test(value)) return { transfers: Number(value) };
  if (name === 'transfers') throw wrong(word, 'transfers is a number above 0');
  if (name !== 'bwlimit') throw wrong(word, 'use transfers=4 or bwlimit=10M');
  const rate = singleRate(value);
  if (rate === undefined) throw wrong(word, 'bwlimit is a rate such as 500k or 10M, or off');
  return { bwlimit: Number.isFinite(rate) ? rate : 'off' };
}

function wrong(word: string, why: string): SyncerError {
  return new SyncerError('usage', `cannot set "${word}": ${why}`);
}
