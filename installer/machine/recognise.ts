import { basename, dirname } from 'node:path';
import { SCRIPT_MARK } from '../files/hook-file.ts';

/** A hook as far as it is looked at here. */
interface ReadHook {
  readonly id?: unknown;
  readonly 'execute-command'?: unknown;
}

/** Whether `test.sh` is the installer's own. */
export function isOwnTestScript(text: string | undefined): boolean {
  return text?.includes(SCRIPT_MARK) === true;
}

/** The `<work_dir>/webhook` that a hook file's hook "test" names, where it does. */
export function workFolderOfHooks(text: string | undefined): string | undefined {
  const command = testHook(text)?.['execute-command'];
  if (typeof command !== 'string' || !command.startsWith('/')) return undefined;
  const folder = dirname(command);
  return basename(command) === 'test.sh' && basename(folder) === 'webhook' ? folder : undefined;
}

/** The port that a service unit passes to webhook. */
export function portOfUnit(text: string | undefined): number | undefined {
  const port = /^ExecStart=.*\s--?port[= ](\d+)/m.exec(text ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

/** Whether a service unit has a user of its own, as `--hardened` writes it. */
export function isHardenedUnit(text: string | undefined): boolean {
  return /^DynamicUser=yes$/m.test(text ?? '');
}

function testHook(text: string | undefined): ReadHook | undefined {
  let hooks: unknown;
  try {
    hooks = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  return Array.isArray(hooks)
    ? hooks.find((hook: ReadHook | null) => hook?.id === 'test')
    : undefined;
}
