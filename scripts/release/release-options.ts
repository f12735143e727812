import { parseArgs } from 'node:util';
import { PLATFORMS } from './platforms.ts';

/** How `npm run release` is used. */
export const RELEASE_USAGE = `npm run release -- [flags]: builds executables, archives, Debian and npm packages
  --arch ARCH        only for x64 (amd64) or arm64; may be given several times
  --program NAME     only syncer, webhook or webhook-installer; may be given several times
  --bare             only the executables, as PROGRAM-linux-ARCH
  --repository HOST/PATH  where the repository is, for the npm packages, such as github.com/owner/name
  --out DIR          where to write (default release)
`;

/**
 * Reads the words behind `npm run release --`: what is built, and where it goes. Throws an error of one line for a
 * flag, an architecture or a program that does not exist.
 */
export function releaseOptions(words: readonly string[], allPrograms: readonly string[]) {
  const { arch, program, repository, out, bare, help } = parseArgs({
    args: [...words],
    options: {
      out: { type: 'string' },
      repository: { type: 'string' },
      arch: { type: 'string', multiple: true },
      program: { type: 'string', multiple: true },
      bare: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
  const asked = arch?.map((name) => (name === 'amd64' ? 'x64' : name));
  const archs = chosen(
    'arch',
    asked,
    PLATFORMS.map((one) => one.arch),
  );
  return {
    help,
    bare,
    /** Absent: the folder `release` of the project. */
    out,
    /** Absent: npm packages have no addresses. */
    repository: repository?.replace(/^(?:git\+)?https:\/\/|(?:\.git)?\/?$/g, ''),
    platforms: PLATFORMS.filter((one) => archs.includes(one.arch)),
    programs: chosen('program', program, allPrograms),
  };
}

/** Those of `all` that were asked for, in the order of `all`. */
function chosen(
  flag: string,
  asked: readonly string[] | undefined,
  all: readonly string[],
): readonly string[] {
  const unknown = asked?.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--${flag} "${unknown}" does not exist: give ${all.join(', ')}`);
  }
  return all.filter((name) => asked?.includes(name) ?? true);
}
