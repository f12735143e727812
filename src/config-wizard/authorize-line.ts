import { shellWord } from '../core/shell-word.ts';
import { type Draft, isSecret } from './draft.ts';

/** Not for the other machine: the words themselves, and what the login is to find out. */
const LEFT_OUT = /^(client_id|client_secret|token|drive_id|drive_type)$/;

/**
 * The command that logs in on another machine, with the options that were chosen here. It holds the secret, as in
 * rclone, unless it is `masked`.
 */
export function authorizeLine({ kind, values }: Draft, masked: boolean): string {
  const shown = (key: string) => {
    const value = values.get(key) ?? '';
    return masked && value !== '' && isSecret(kind, key) ? '***' : shellWord(value);
  };
  const words = ['client_id', 'client_secret'].map(shown);
  const empty = shellWord('');
  while (words.at(-1) === empty) words.pop();
  const options = kind.options
    .filter(({ name, default: ifUnset = '' }) => {
      const value = values.get(name) ?? '';
      return !LEFT_OUT.test(name) && value !== '' && value !== ifUnset;
    })
    .map(({ name }) => `--${kind.type}-${name}`.replaceAll('_', '-').concat(' ', shown(name)));
  return ['syncer authorize', kind.type, ...words, ...options].join(' ');
}
