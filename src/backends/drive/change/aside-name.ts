import { randomBytes } from 'node:crypto';
import { leafName } from '../../../core/remote-path.ts';

/**
 * The name of a file while another one replaces it; contains the file's own name, to restore it, if that fits.
 *
 * @param path below the drive's root, as the service spells it
 */
export function asideName(path: string): string {
  const mark = `syncer-${random()}.tmp`;
  const name = `${leafName(path)}.${mark}`;
  const isTooLong = name.length > LONGEST_NAME || path.length + mark.length + 1 > LONGEST_PATH;
  return isTooLong ? mark : name;
}

/** The name of a copy until it is complete and gets its final name. */
export function copyName(): string {
  return `syncer-${random()}.copy`;
}

/** A file left under such a name. */
export type LeftAside =
  | { readonly kind: 'copy' }
  /** @property name the file's own; `undefined` if unknown */
  | { readonly kind: 'aside'; readonly name: string | undefined };

/** The file that a name, as the service spells it, belongs to; `undefined` for names not made here. */
export function leftUnder(name: string): LeftAside | undefined {
  if (/^syncer-[0-9a-f]{12}\.copy$/.test(name)) return { kind: 'copy' };
  const aside = /^(?:(.+)\.)?syncer-[0-9a-f]{12}\.tmp$/s.exec(name);
  return aside === null ? undefined : { kind: 'aside', name: aside[1] };
}

function random(): string {
  return randomBytes(6).toString('hex');
}

/** The longest name of an item, in characters: "Restrictions and limitations in OneDrive". */
export const LONGEST_NAME = 255;

/** The longest path below the root of a drive, in characters: likewise. */
export const LONGEST_PATH = 400;
