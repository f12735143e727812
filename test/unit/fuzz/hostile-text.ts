import fc from 'fast-check';
import { SyncerError } from '../../../src/core/errors.ts';

/** How many texts each parser is given. */
export const RUNS = { numRuns: 300 };

/** Characters that mean something to one parser or another. */
const SPECIAL = [
  ...'[]{}()*?+|^$\\/.:;,=#!"\'`~-_%&@<> \t\r\n\0\x1b\x7f\u00a0\u2028\ufeff\ufffd\ud800\udc00é漢😀09azAZ',
];

/** Words that mean something. */
const WORDS = [
  'off',
  'inf',
  'NaN',
  '1e999',
  '-0',
  '0x',
  '__proto__',
  'constructor',
  'toString',
  'true',
  '[x]',
  'type = s3',
  '{{',
  '}}',
  '**',
  '***',
  '+ ',
  '- ',
  '--',
  '-v',
  '--dry-run',
  '--max-size=',
  ':s3,',
  '"',
  'RCLONE_ENCRYPT_V0:',
  '1h30m',
  '2020-01-01',
  '10M',
  '99999999999999999999',
];

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const specialText = fc
  .array(fc.constantFrom(...SPECIAL), { maxLength: 40 })
  .map((all) => all.join(''));
const wordText = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...SPECIAL)), { maxLength: 14 })
  .map((all) => all.join(''));

/** A short text many times: what makes a careless regular expression never end. */
const longText = fc
  .tuple(
    fc.oneof(fc.constantFrom(...SPECIAL, ...WORDS), specialText),
    fc.integer({ min: 500, max: 5_000 }),
    specialText,
  )
  .map(([part, times, end]) => part.slice(0, 8).repeat(times) + end);

/** Text of any kind: random, made of what parsers heed, and very long. */
export const hostileText = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 4, arbitrary: specialText },
  { weight: 4, arbitrary: wordText },
  { weight: 1, arbitrary: longText },
);

/** Runs a parser; fails where it throws anything but a `SyncerError` with one line. */
export function refusesWell<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (thrown) {
    checkRefusal(thrown);
    return undefined;
  }
}

/** As `refusesWell`, for what answers later. */
export async function refusesWellLater<T>(parse: () => Promise<T>): Promise<T | undefined> {
  try {
    return await parse();
  } catch (thrown) {
    checkRefusal(thrown);
    return undefined;
  }
}

function checkRefusal(thrown: unknown): void {
  if (!(thrown instanceof SyncerError)) throw thrown;
  if (thrown.message === '') throw new Error('an error without a message', { cause: thrown });
}
