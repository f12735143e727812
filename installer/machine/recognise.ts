import { basename, dirname } from 'node:path';
import { hookFile } from '../files/installed-files.ts';

/** Whether a hook file is as the installer wrote it, whatever its token. */
export function isOwnHookFile(text: string | undefined): boolean {
  const hook = testHook(text);
  if (hook === undefined) return false;
  const folder = String(hook['command-working-directory']);
  const token = String(hook['trigger-rule']?.match?.value);
  return text === hookFile(String(hook['execute-command']), folder, token);
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

/** The hook "test", as far as it is looked at here. */
interface ReadHook {
  readonly id?: unknown;
  readonly 'execute-command'?: unknown;
  readonly 'command-working-directory'?: unknown;
  readonly 'trigger-rule'?: { readonly match?: { readonly value?: unknown } };
}

function testHook(text: string | undefined): ReadHook | undefined {
  try {
    const hooks: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(hooks)) return undefined;
    return hooks.find((hook: ReadHook | null) => hook?.id === 'test');
  } catch {
    return undefined;
  }
}
