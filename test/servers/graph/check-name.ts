import { invalidRequest } from './graph-failure.ts';

/** Kinds of drives; what is forbidden differs. */
export type DriveType = 'personal' | 'business' | 'documentLibrary';

const FORBIDDEN = /["*:<>?/\\|\u0000-\u001f\u007f]/;
const RESERVED = /^(\.lock|con|prn|aux|nul|com\d|lpt\d|desktop\.ini)$/i;

/** Longest name, and longest path below the root with the name, in characters. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 400;

/** Where a name is to stand. */
export interface NamePlace {
  readonly driveType: DriveType;
  /** Names of the folders above, from the root. */
  readonly above: readonly string[];
  readonly isFolder: boolean;
}

/** Throws 400 for a name that the service does not take. */
export function checkName(name: string, place: NamePlace): void {
  const why = objection(name, place);
  if (why !== undefined) throw invalidRequest(`The provided name cannot contain ${why}: ${name}`);
  if (name.length > LONGEST_NAME || [...place.above, name].join('/').length > LONGEST_PATH) {
    throw invalidRequest('The specified path is too long.', 'pathIsTooLong');
  }
}

function objection(name: string, place: NamePlace): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'nothing or dots only';
  if (FORBIDDEN.test(name)) return 'a forbidden character';
  if (!name.isWellFormed()) return 'half a character';
  if (name.startsWith(' ') || name.endsWith(' ')) return 'a space at an end';
  if (name.endsWith('.')) return 'a period at the end';
  if (RESERVED.test(name)) return 'a reserved word only';
  if (name.startsWith('~$')) return '~$ at the start';
  if (name.toLowerCase().includes('_vti_')) return '_vti_';
  if (place.driveType === 'personal') return undefined;
  if (place.isFolder && name.startsWith('~')) return '~ at the start of a folder';
  const isForms = place.above.length === 0 && name.toLowerCase() === 'forms';
  return isForms && place.driveType === 'documentLibrary' ? 'forms at the root' : undefined;
}
