import { item, manPage, manPages, roffText } from '../../../commands/generate/man-pages.ts';
import { COMMANDS } from '../../../commands/index.ts';
import { FLAGS as INSTALLER_FLAGS } from '../../../installer/read-options.ts';
import { flagName } from '../../../installer/run-installer.ts';
import { type Flag, FLAGS as WEBHOOK_FLAGS } from '../../../src/webhook/flag-table.ts';
import type { PackedFile } from './packed-file.ts';

/** The manual pages of each program, made from its own table of flags. */
export const MANUAL_PAGES: Readonly<Record<string, () => readonly PackedFile[]>> = {
  syncer: () => manPages(COMMANDS).map(({ path, text }) => ({ path, content: text })),
  webhook: () => [{ path: 'webhook.1', content: webhookPage() }],
  'webhook-installer': () => [{ path: 'webhook-installer.1', content: installerPage() }],
};

/** The man pages of an npm package with these programs, as its package.json lists them. */
export function manualsOf(programs: readonly string[]): readonly string[] {
  const pages = programs.flatMap((program) => MANUAL_PAGES[program]?.() ?? []);
  return pages.map(({ path }) => `dist/man/${path}`);
}

function webhookPage(): string {
  const flags: readonly Flag[] = WEBHOOK_FLAGS;
  return manPage('webhook', 'a server that runs commands on HTTP requests', [
    '.SH SYNOPSIS',
    '.B webhook',
    '[flags]',
    '.SH DESCRIPTION',
    'Listens on a port and runs the command of a hook when a request for it satisfies its rule.',
    'Flags take one dash or two, and their value as another word or after "=".',
    '.SH OPTIONS',
    ...flags.flatMap(([name, kind, usage]) =>
      item(`-${name}${kind === 'bool' ? '' : ` ${kind === 'int' ? 'N' : 'VALUE'}`}`, usage),
    ),
    '.SH FILES',
    '.TP',
    '.I /etc/webhook.conf',
    'The hooks of the service.',
    '.SH SEE ALSO',
    '.BR webhook\\-installer (1)',
  ]);
}

function installerPage(): string {
  return manPage('webhook-installer', 'install the server webhook as a service, or remove it', [
    '.SH SYNOPSIS',
    '.B webhook\\-installer',
    roffText('[install|uninstall|upgrade|version] [flags]'),
    '.SH DESCRIPTION',
    'Without a command it shows a menu: 1 installs, 2 uninstalls. With piped input it reads the choice from there.',
    '.SH OPTIONS',
    ...INSTALLER_FLAGS.flatMap((flag) => item(flagName(flag).trim(), flag.help)),
    '.SH SEE ALSO',
    '.BR webhook (1)',
  ]);
}
