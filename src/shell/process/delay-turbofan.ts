import { changeFlag } from '../../system/v8-flags.ts';

/** Shorter runs do not load Node's module for flags, which takes 2 ms; in milliseconds. */
const SHORT_MS = 40;
/** From then on TurboFan is used: what is still called often will be called for a while. In milliseconds. */
const LONG_MS = 2000;

/**
 * Leaves V8's slower compiler, TurboFan, out of the first seconds. In a run over many files several hundred functions
 * are called often enough for it at the same time, and it takes milliseconds of a processor for each, which the server
 * or the other side needs, while the code of the faster compiler, Maglev, is nearly as fast. A run whose time goes into
 * one loop, such as a listing, is better off with both. Does nothing where V8 must not compile.
 */
export function delayTurboFan(): void {
  // With `--jitless` there is no WebAssembly either, and code that TurboFan made crashes the process.
  if (typeof WebAssembly === 'undefined') return;
  setTimeout(changeFlag, SHORT_MS, '--no-turbofan', '--turbofan').unref();
  setTimeout(changeFlag, LONG_MS, '--turbofan', '--turbofan').unref();
}
