import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { type GraphWorld, makeGraphWorld } from '../../support/graph-world.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
let drives: GraphWorld;
let theirs = '';
beforeAll(async () => {
  [world, drives] = await Promise.all([
    makeSyncerWorld({ inOwnProcess: true }),
    makeGraphWorld({ drives: [{ type: 'business' }, { type: 'documentLibrary', site: 'team' }] }),
  ]);
  theirs = join(world.dir, 'rclone.conf');
});
afterAll(async () => {
  await world.remove();
  await drives.remove();
});
beforeEach(() => Promise.all([world.config, theirs].map((path) => rm(path, { force: true }))));

/** What the two files say; a value that is the default may be written or not. */
async function contents(path: string): Promise<Record<string, Record<string, string>>> {
  const sections = iniSections(parseIni(await readFile(path, 'utf8'), path));
  return Object.fromEntries(
    [...sections].map(([name, keys]) => {
      const told = [...keys].filter(([key, value]) => !(key === 'env_auth' && value === 'false'));
      return [name, Object.fromEntries(told)];
    }),
  );
}

/**
 * rclone 1.60 loses what is piped ahead of its question: each answer is given when it is asked for. rclone 1.75 prints
 * no prompt into a pipe, and loses nothing.
 */
async function answerInTurn(child: ChildProcessWithoutNullStreams, answers: readonly string[]) {
  const left = [...answers];
  if (isRcloneNow) child.stdin.end(`${left.splice(0).join('\n')}\n`);
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (isRcloneNow || !printed.endsWith('> ')) return;
    printed = '';
    const answer = left.shift();
    if (answer === undefined) child.stdin.end();
    else child.stdin.write(`${answer}\n`);
  });
  await new Promise((resolve) => child.on('close', resolve));
}

describe.skipIf(!hasRclone)('beside rclone', () => {
  test('the wizard makes the same remote of S3', async () => {
    const head = ['n', 'store', 's3', 'Other', '1', 'AK', 'S#;K', '', 'http://127.0.0.1:9000'];
    const ours = await world.run(['config'], { input: [...head, 'n', 'y', 'q', ''].join('\n') });
    expect(ours.code, ours.stderr).toBe(0);
    const env = { ...process.env, RCLONE_CONFIG: theirs };
    // rclone asks for location_constraint and acl besides; since 1.74 for bucket_object_lock_enabled.
    const more = ['', '', ...(isRcloneNow ? [''] : [])];
    const child = spawn('rclone', ['config'], { env, timeout: 20_000 });
    await answerInTurn(child, [...head, ...more, 'n', 'y', 'q']);
    const made = await contents(theirs);
    expect(Object.keys(made)).toEqual(['store']);
    expect(await contents(world.config)).toEqual(made);
  });

  /** One step of the dialogue in which a program asks the questions, by both. */
  async function both(...args: string[]) {
    const certificate = join(world.dir, 'graph.pem');
    await writeFile(certificate, drives.graph.certificate);
    const env = drives.graph.proxied(certificate);
    const [ours, rclone] = await Promise.all([
      world.run(['config', ...args, '--non-interactive', '--ca-cert', certificate], { env }),
      runRclone(['config', ...args, '--non-interactive'], { cwd: world.dir, config: theirs, env }),
    ]);
    expect(ours.code, ours.stderr).toBe(rclone.code);
    return { ours: step(ours.stdout), rclone: step(rclone.stdout) };
  }

  /** What a program that asks the questions goes by. */
  function step(printed: Buffer) {
    const {
      State,
      Option,
      Error: error,
    } = JSON.parse(printed.toString()) as {
      State: string;
      Option: Record<string, unknown> | null;
      Error: string;
    };
    const examples = (Option?.['Examples'] ?? []) as { Value: string; Help: string }[];
    return {
      State,
      hasError: error !== '',
      option: Option && {
        Name: Option['Name'],
        DefaultStr: Option['DefaultStr'],
        Exclusive: Option['Exclusive'],
        Required: Option['Required'],
        Type: Option['Type'],
        examples: examples.map(({ Value, Help }) => [Value, Help]),
      },
    };
  }

  async function goOn(state: string, result: string) {
    const answered = await both('update', 'd', '--continue', '--state', state, '--result', result);
    expect(answered.ours).toEqual(answered.rclone);
    return answered.ours;
  }

  test('the questions of a drive have its states, from the login to the drive', async () => {
    const { graph } = drives;
    const token = JSON.stringify(graph.newToken());
    const begun = await both('create', 'd', 'onedrive', `client_id=${graph.clientId}`);
    expect(begun.ours).toEqual(begun.rclone);
    expect(begun.ours.option?.Name).toBe('config_is_local');
    const asked = await goOn(begun.ours.State, 'false');
    expect(asked.option?.Name).toBe('config_token');
    expect((await goOn(asked.State, 'garbage')).hasError).toBe(true);
    const kinds = await goOn(asked.State, token);
    expect(kinds.option?.Name).toBe('config_type');
    const listed = await goOn(kinds.State, 'onedrive');
    expect(listed.option?.Name).toBe('config_driveid');
    const found = await goOn(listed.State, graph.drive.id);
    expect(found.option?.Name).toBe('config_drive_ok');
    const done = await goOn(found.State, 'true');
    expect(done).toEqual({ State: '', hasError: false, option: null });
    const [ours, rclone] = await Promise.all([contents(world.config), contents(theirs)]);
    const essential = ({ d = {} }: typeof ours) => {
      const { client_id, drive_id, drive_type, token: kept = '{}' } = d;
      return { client_id, drive_id, drive_type, access: JSON.parse(kept).access_token };
    };
    expect(essential(ours)).toEqual(essential(rclone));
    expect(ours['d']?.['drive_id']).toBe(graph.drive.id);
  });

  test('with a token it asks whether to get another; a search that fails begins anew', async () => {
    const token = `token=${JSON.stringify(drives.graph.newToken())}`;
    const begun = await both(
      'create',
      'd',
      'onedrive',
      `client_id=${drives.graph.clientId}`,
      token,
    );
    expect(begun.ours).toEqual(begun.rclone);
    expect(begun.ours.option?.Name).toBe('config_refresh_token');
    const kinds = await goOn(begun.ours.State, 'false');
    const term = await goOn(kinds.State, 'search');
    const failed = await both(
      'update',
      'd',
      '--continue',
      '--state',
      term.State,
      '--result',
      'nosuch',
    );
    expect(failed.ours).toEqual(failed.rclone);
    expect(failed.ours).toEqual({ State: 'choose_type', hasError: true, option: null });
    expect((await goOn('choose_type', '')).option?.Name).toBe('config_type');
  });
});

test('create with answers takes the defaults for the rest', async () => {
  const { graph } = drives;
  const token = JSON.stringify(graph.newToken());
  const ended = await world.run(
    ['config', 'create', 'd', 'onedrive', `client_id=${graph.clientId}`, `config_token=${token}`],
    {
      env: {
        SYNCER_ONEDRIVE_GRAPH_URL: graph.graphUrl,
        SYNCER_ONEDRIVE_TOKEN_URL: graph.tokenUrl,
      },
    },
  );
  expect(ended.code, ended.stderr).toBe(0);
  expect((await contents(world.config))['d']).toEqual({
    type: 'onedrive',
    client_id: graph.clientId,
    token,
    drive_id: graph.drive.id,
    drive_type: 'business',
  });
});
