import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const owner = join(import.meta.dirname, '../../../src/system/owner-state.ts');

/** The mark of a process that has ended. */
export function markOfDeadProcess(): string {
  const script = `import { ownMark } from ${JSON.stringify(owner)}; console.log(ownMark());`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.toString().trim();
}
