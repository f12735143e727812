import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failFirstGraph, type GraphFaultRule } from '../../servers/graph/graph-fault.ts';
import { writeTree } from '../../support/file-tree.ts';
import { type GraphWorld, makeGraphWorld } from '../../support/graph-world.ts';
import { hasRclone } from '../../support/rclone.ts';

/** Four fragments at `--onedrive-chunk-size 320k`. */
const BIG = Buffer.alloc(1_200_000, 'a piece of some length, ');

describe.skipIf(!hasRclone)('faults of the Graph server, as rclone meets them', () => {
  let world: GraphWorld;
  beforeAll(async () => {
    world = await makeGraphWorld({
      drives: [{ type: 'business' }, { type: 'documentLibrary', site: 'Team' }],
      maxPageSize: 3,
    });
    await writeFile(join(world.dir, 'big'), BIG);
    for (let n = 0; n < 10; n++) world.graph.drive.put(`list/${n}`, `${n}`);
    world.graph.drive.put('big', BIG);
  });
  beforeEach(() => world.graph.log.clear());
  afterEach(() => world.graph.setFaults(undefined));
  afterAll(() => world.remove());

  const good = async (line: string) => {
    const ended = await world.rclone(line);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.stdout.toString();
  };
  const uploadWith = async (rule: GraphFaultRule) => {
    world.graph.setFaults(rule);
    await good('copyto big drive0:up --onedrive-chunk-size 320k --ignore-times');
    expect(world.graph.drive.read('up')?.equals(BIG)).toBe(true);
    return world.graph.log;
  };

  test.each([429, 503])('it waits and asks again after %i', async (status) => {
    world.graph.setFaults(failFirstGraph('listChildren', 2, { status, retryAfter: 1 }));
    expect((await good('lsf drive0:list')).trim().split('\n')).toHaveLength(10);
    expect(world.graph.log.countStatus(status)).toBe(2);
  });

  test('a fragment that broke off is sent again', async () => {
    const log = await uploadWith(({ operation }, n) =>
      operation === 'putFragment' && n === 1 ? { reset: 'in-upload' } : undefined,
    );
    expect(log.of('putFragment').map(({ status }) => status)).toEqual([
      202,
      undefined,
      202,
      202,
      expect.toSatisfy((status) => status === 200 || status === 201),
    ]);
  });

  test('after a lost answer a fragment is refused, and the session tells where to go on', async () => {
    const log = await uploadWith(({ operation }, n) =>
      operation === 'putFragment' && n === 1 ? { reset: 'after' } : undefined,
    );
    expect(log.countStatus(416)).toBe(1);
    expect(log.count('getSession')).toBe(1);
  });

  test('when the last answer is lost the session is gone and the file is there', async () => {
    world.graph.drive.put('lost', 'old');
    world.graph.setFaults(({ operation }, n) =>
      operation === 'putFragment' && n === 3 ? { reset: 'after' } : undefined,
    );
    const ended = await world.rclone('copyto big drive0:lost --onedrive-chunk-size 320k');
    expect(ended.code).not.toBe(0);
    expect(world.graph.drive.read('lost')?.equals(BIG)).toBe(true);
    expect(world.graph.log.countStatus(404)).toBeGreaterThan(0);
  });

  test.each(['truncate', 'reset'] as const)(
    'a download that ends early goes on: %s',
    async (how) => {
      const fault =
        how === 'truncate'
          ? { truncate: true as const, afterBytes: 500_000 }
          : { reset: 'in-body' as const, afterBytes: 500_000 };
      world.graph.setFaults(failFirstGraph('download', 1, fault));
      await good(`copyto drive0:big down-${how}`);
      expect((await readFile(join(world.dir, `down-${how}`))).equals(BIG)).toBe(true);
      expect(world.graph.log.count('download')).toBe(2);
    },
  );

  test('a full drive and an open file are each told as what they are', async () => {
    const { drive } = world.graph;
    const { quota } = drive.inside;
    drive.inside.quota = drive.inside.used + 10;
    const full = await world.rclone('copyto big drive0:full');
    expect(full.stderr).toContain('quotaLimitReached');
    drive.inside.quota = quota;
    drive.put('open', 'x');
    drive.lock('open');
    const open = await world.rclone('deletefile drive0:open');
    expect(open.stderr).toContain('resourceLocked');
    expect(drive.read('open')?.toString()).toBe('x');
  });

  test('an empty page is taken for the end by this client', async () => {
    world.graph.settings.emptyPages = true;
    expect(await good('lsf drive0:list')).toBe('');
    world.graph.settings.emptyPages = false;
    expect((await good('lsf drive0:list')).trim().split('\n')).toHaveLength(10);
  });

  test.each([
    ['us', 'graph.microsoft.us'],
    ['de', 'graph.microsoft.de'],
    ['cn', 'microsoftgraph.chinacloudapi.cn'],
  ])('the cloud of region %s has a host of its own', async (region, host) => {
    await good(`lsf drive0:list --onedrive-region ${region}`);
    const hosts = world.graph.log.of('listChildren').map((request) => request.host);
    expect(new Set(hosts)).toEqual(new Set([host]));
  });

  test('the cloud of China is addressed in a way of its own', async () => {
    await writeTree(join(world.dir, 'china'), {
      'a/b/c.txt': 'deep',
      'empty.txt': '',
      "odd/it's 100%+&#.txt": 'odd',
    });
    await good('copy china drive0:china --onedrive-region cn');
    await good('check china drive0:china --onedrive-region cn');
    await good('moveto drive0:china/a/b/c.txt drive0:china/d.txt --onedrive-region cn');
    expect(world.graph.drive.read('china/d.txt')?.toString()).toBe('deep');
    expect(world.graph.log.requests.filter(({ path }) => path.includes(':'))).toEqual([]);
  });

  test('its wizard finds drives and sites', async () => {
    const choices = async (state: string, result: string) => {
      const line = `config update drive0 --continue --state ${state} --result ${result}`;
      const { Option } = JSON.parse(await good(line)) as {
        Option: { Examples: { Value: string; Help: string }[] };
      };
      return Option.Examples;
    };
    const [business, library] = world.graph.drives;
    expect(await choices('choose_type_done', 'onedrive')).toMatchObject([
      { Value: business?.id, Help: 'OneDrive (business)' },
    ]);
    const [site] = await choices('search_end', 'tea');
    expect(site?.Help).toBe('Team (https://contoso.sharepoint.com/sites/Team)');
    expect(await choices('siteid_end', site?.Value ?? '')).toMatchObject([{ Value: library?.id }]);
    const url = 'https://contoso.sharepoint.com/sites/Team';
    expect(await choices('url_end', url)).toMatchObject([{ Value: library?.id }]);
  });
});
