import { decodePercent } from '../payload/parse-query.ts';

/** What a name stands for; percent codes that are not valid stand for themselves. */
export function readable(name: string): string {
  return decodePercent(name.replace(/%(?![0-9a-f]{2})/gi, '%25'), true) ?? name;
}
