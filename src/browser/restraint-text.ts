import type { Restraint } from './browser-effects.ts';

/** Why nothing is deleted or moved. */
export function restraintText(restraint: Restraint, what: string): string {
  switch (restraint) {
    case 'dry-run':
      return `--dry-run is set: nothing is ${what}`;
    case 'read-only':
      return `--read-only is set: nothing is ${what}`;
    case 'imported':
      return `this is a scan from a file: nothing can be ${what}`;
  }
}
