import { toSyncerError } from '../core/errors.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check.ts';

/** The parts of the program that may be missing on a machine. */
export interface ProgramParts {
  readonly version: string;
  readonly nodeVersion: string;
  /** Loads the native module for calls of the C library. */
  readonly loadNative: () => Promise<unknown>;
  /** Resolves to the response of a thread. */
  readonly askThread: () => Promise<unknown>;
  /** Where compiled code is cached; `undefined`: nowhere. */
  readonly compileCache: string | undefined;
  /** A variable turns that off. */
  readonly isCacheOff: boolean;
  /** The newest released version; absent without `--online`; `undefined` if there is no release. */
  readonly newest?: () => Promise<string | undefined>;
}

const REINSTALL = 'npm install --global --force syncer';

/** The checks of the program itself. */
export async function* programChecks(parts: ProgramParts): AsyncGenerator<CheckResult> {
  const { version, nodeVersion, loadNative, askThread, compileCache, isCacheOff, newest } = parts;
  yield ok('version', `syncer ${version} on Node ${nodeVersion}`);
  yield await trying('native', 'calls of the C library work', loadNative, (why) =>
    failed('native', `mounts and some times of files do not work: ${why}`, REINSTALL),
  );
  yield await trying('threads', 'threads start', askThread, (why) =>
    failed('threads', `no thread starts, which hashes need: ${why}`, 'ulimit -u'),
  );
  yield compileCache === undefined
    ? warning(
        'compile-cache',
        'off: every start compiles the program',
        isCacheOff ? 'unset NODE_DISABLE_COMPILE_CACHE' : 'mkdir -p ~/.cache/syncer',
      )
    : ok('compile-cache', compileCache);
  if (newest !== undefined) yield await newestVersion(version, newest);
}

async function trying(
  check: string,
  text: string,
  work: () => Promise<unknown>,
  otherwise: (why: string) => CheckResult,
): Promise<CheckResult> {
  try {
    await work();
    return ok(check, text);
  } catch (thrown) {
    return otherwise(toSyncerError(thrown).message);
  }
}

async function newestVersion(
  version: string,
  newest: NonNullable<ProgramParts['newest']>,
): Promise<CheckResult> {
  const check = 'newest-version';
  try {
    const found = await newest();
    if (found === undefined) return unknown(check, 'the registry has no release of syncer');
    if (!isNewer(found, version)) return ok(check, `${version} is the newest version`);
    return warning(check, `${found} is newer than ${version}`, 'npm install --global syncer');
  } catch (thrown) {
    return unknown(check, toSyncerError(thrown).message);
  }
}

function isNewer(found: string, version: string): boolean {
  return found.localeCompare(version, 'en', { numeric: true }) > 0;
}
