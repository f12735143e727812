import type { Restraint } from './browser-effects.ts';

/** Why nothing is deleted or moved. */
export function restraintText(restraint: Restraint, what: string): string {
  switch (restraint) {
    case 'dry-run':
      return `nothing is ${what} with --dry-run`;
    case 'read-only':
      return `nothing is ${what} with --read-only`;
    case 'imported':
      return `a scan from a file is read-only: nothing can be ${what}`;
    case 'kept':
      return `nothing is ${what} until the path is scanned again`;
  }
}
