import { shellWord } from '../../system/shell-words.ts';
import { type Draft, isHidden } from './draft.ts';

/** Told as words of their own. */
const WORDS = ['client_id', 'client_secret'];

/** The command that logs in on another machine, with the options chosen here; secrets are shown unless `masked`. */
export function authorizeLine({ kind, values }: Draft, masked: boolean): string {
  const shown = (key: string) => {
    const value = values.get(key) ?? '';
    return masked && isHidden(kind, key, value) ? '***' : shellWord(value);
  };
  const words = WORDS.map(shown);
  const empty = shellWord('');
  while (words.at(-1) === empty) words.pop();
  // What the login is to find out is not for the other machine.
  const leftOut = new Set([...WORDS, 'token', ...(kind.login?.finds ?? [])]);
  const options = kind.options
    .filter(({ name, default: ifUnset = '' }) => {
      const value = values.get(name) ?? '';
      return !leftOut.has(name) && value !== '' && value !== ifUnset;
    })
    .map(({ name }) => `--${kind.type}-${name}`.replaceAll('_', '-').concat(' ', shown(name)));
  return ['syncer authorize', kind.type, ...words, ...options].join(' ');
}
