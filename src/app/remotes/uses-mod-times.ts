import type { Flags } from '../flags/flag-table.ts';

/**
 * Whether a command will use modification times; otherwise the index of them is not read. This affects only the number
 * of requests, never the result.
 */
export function usesModTimes(command: string | undefined, flags: Flags): boolean {
  if (flags['use-server-modtime']) return false;
  if (flags['min-age'] !== undefined || flags['max-age'] !== undefined) return true;
  switch (command) {
    case 'copy':
    case 'copyto':
    case 'move':
    case 'moveto':
    case 'sync': {
      const comparesTimes = !flags.checksum && !flags['size-only'];
      const ordersByTime = flags['order-by']?.startsWith('modtime') === true;
      const strategy = flags['track-renames'] ? flags['track-renames-strategy'] : '';
      const tracksTimes = strategy.includes('modtime');
      return comparesTimes || flags.update || ordersByTime || tracksTimes;
    }
    case 'lsl':
    case 'dedupe':
      return true;
    case 'mount':
      return !flags['mount-no-modtime'];
    case 'lsf':
      return flags.format.includes('t');
    case 'lsjson':
      return !flags['no-modtime'];
    case 'tree':
      return (
        flags.modtime || flags['sort-modtime'] || flags['sort-ctime'] || /time/.test(flags.sort)
      );
    default:
      return false;
  }
}
