import type { TmuxTerminal } from '../../test/support/start-tmux.ts';
import type { Scenario } from './scenario.ts';

/** Types an answer where the screen shows `title`. */
async function answer(terminal: TmuxTerminal, title: string, typed: string): Promise<void> {
  await terminal.waitFor(title);
  await terminal.type(typed);
  await terminal.keys('Enter');
}

async function newRemote(terminal: TmuxTerminal, name: string, kind: string): Promise<void> {
  await terminal.waitFor('New remote');
  await terminal.keys('n');
  await answer(terminal, 'Enter name', name);
  await answer(terminal, 'Type of storage', kind);
}

/** Up to the secret key. */
async function describeStore(terminal: TmuxTerminal): Promise<void> {
  await newRemote(terminal, 'shelf', 's3');
  await answer(terminal, 'S3 provider', 'Minio');
  await terminal.waitFor('Get the credentials');
  await terminal.keys('n');
  await answer(terminal, 'access_key_id:', 'my-key');
  await terminal.waitFor('secret_access_key:');
  await terminal.type('my-secret');
}

export const CONFIG_SCENARIOS: readonly Scenario[] = [
  {
    name: 'config-menu',
    rows: 16,
    command: 'syncer config',
    reach: ({ terminal }) => terminal.waitFor('Quit config'),
  },
  {
    name: 'config-secret',
    columns: 110,
    rows: 20,
    command: 'syncer config',
    async reach({ terminal }) {
      await describeStore(terminal);
      await terminal.waitFor('•••••••••');
    },
  },
  {
    name: 'config-confirm',
    command: 'syncer config',
    async reach({ terminal }) {
      await describeStore(terminal);
      await terminal.keys('Enter');
      await answer(terminal, 'region:', '');
      await answer(terminal, 'endpoint:', 'http://nas.home:9000');
      await terminal.waitFor('Edit advanced');
      await terminal.keys('n');
      await terminal.waitFor('Test passed');
    },
  },
  {
    name: 'config-token',
    rows: 20,
    command: 'syncer config',
    async reach({ terminal }) {
      await newRemote(terminal, 'office2', 'onedrive');
      await answer(terminal, 'client_id:', '01234567-89ab-cdef-0123-456789abcdef');
      await answer(terminal, 'client_secret:', 'not-a-real-secret');
      await terminal.waitFor('Edit advanced');
      await terminal.keys('n');
      await terminal.waitFor('Can this computer open a browser?');
      await terminal.keys('n');
      await terminal.waitFor('Paste the token here.');
      await terminal.paste('{"access_token":"example","expiry":"2030-01-01T00:00:00+00:00"');
      await terminal.waitFor('Incomplete');
    },
  },
];
