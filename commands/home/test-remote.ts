import type { ConfigFile } from '../../src/config/config-file.ts';
import { draftOf, summarise } from '../../src/config/dialogue/remote-summary.ts';
import { testResultText } from '../../src/config/dialogue/work.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { RemoteTest } from '../../src/run/home-entry.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { REMOTE_KINDS, wizardWorks } from '../config/use.ts';

/** A test that takes longer has failed, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Tests a remote of the configuration as the wizard does, by listing its root. Never rejects. */
export async function testRemote(
  invocation: Invocation,
  config: ConfigFile,
  name: string,
): Promise<RemoteTest> {
  const { signal, clock } = invocation.context;
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    const values = iniSections(await config.read(signal)).get(name) ?? new Map();
    const { kind } = summarise(name, values, REMOTE_KINDS, clock.now());
    if (kind === undefined) return { works: false, text: 'unknown type' };
    const works = wizardWorks(invocation, config);
    const draft = draftOf({ name, values }, kind);
    const result = await works.test(draft, AbortSignal.any([signal, late]));
    return { works: true, text: testResultText(result) };
  } catch (thrown) {
    if (late.aborted) return { works: false, text: `no response within ${PATIENCE_MS / 1000} s` };
    const { message, advice } = toSyncerError(thrown);
    return { works: false, text: advice === undefined ? message : `${message}; ${advice}` };
  }
}
