import { execFileSync } from 'node:child_process';

const DROPS = ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner'];

/**
 * What to run the program through so that permissions hold for it as for anybody (`RunOptions.through`): root is
 * not asked for any unless these capabilities are gone. `undefined` where root cannot drop them.
 */
export const withoutPrivileges: readonly string[] | undefined = (() => {
  if (process.getuid?.() !== 0) return [];
  try {
    execFileSync('setpriv', [...DROPS.slice(1), 'true'], { stdio: 'ignore' });
    return DROPS;
  } catch {
    return undefined;
  }
})();
