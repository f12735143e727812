import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { obscure } from '../../../src/config/obscure.ts';
import { type FileServer, missingFor, startFileServer } from '../../servers/file-servers.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { newerRclone } from '../../support/open-rclone.ts';
import { playRcloneHistory } from '../../support/rclone-history.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

const GIVEN = process.env['SYNCER_TEST_SEEDS'];
const SEEDS = (GIVEN ?? '1').split(',').map(Number);
const STEPS = 8;

/** The directories of a test by the names of remotes; `@` in a side is the directory. */
const PAIRS = [
  ['@/local', 'crypt:'],
  ['crypt:one', 'crypt:two'],
  ['@/local', 'union:'],
  ['chunker:', '@/local'],
  ['s3:bucket/from', 'crypt:'],
  ['s3:bucket/a', 'overs3:'],
  ['@/local', 'sftp:'],
  ['alias:', 'sftp:dir'],
] as const;

function sections(dir: string, s3: TestS3, sftp: FileServer | undefined, name: string): string {
  return `${section(s3, 's3')}
[crypt]
type = crypt
remote = ${dir}/one
password = ${obscure('secret')}

[alias]
type = alias
remote = crypt:below

[overs3]
type = crypt
remote = s3:bucket/${name}
password = ${obscure('secret')}

[union]
type = union
upstreams = ${dir}/two ${dir}/three

[chunker]
type = chunker
remote = ${dir}/four
chunk_size = 50k

[sftp]
${sftp?.section ?? 'type = sftp\n'}`;
}

describe.skipIf(newerRclone === undefined)('random commands, beside a model and rclone', () => {
  let s3: TestS3;
  let sftp: FileServer | undefined;
  beforeAll(async () => {
    s3 = await startTestS3();
    mkdirSync(join(s3.root, 'bucket'));
    if (missingFor('sftp').length === 0) sftp = await startFileServer('sftp');
  });
  afterAll(async () => {
    await s3.stop();
    await sftp?.stop();
  });

  for (const seed of SEEDS) {
    for (const [index, pair] of PAIRS.entries()) {
      const isSkipped =
        pair.some((side) => side.startsWith('sftp:')) &&
        // A login for each connection takes minutes.
        (GIVEN === undefined || missingFor('sftp').length > 0);
      it.skipIf(isSkipped)(`${pair.join(' and ')}, seed ${seed}`, async () => {
        const world = await makeSyncerWorld({ inOwnProcess: true });
        const name = `${seed}-${index}`;
        for (const below of ['local', 'one', 'two', 'three', 'four'])
          mkdirSync(join(world.dir, below));
        writeFileSync(world.config, sections(world.dir, s3, sftp, name), { mode: 0o600 });
        const sides = pair.map((side) => {
          if (side.startsWith('sftp:')) return `sftp:${name}`;
          if (side.startsWith('s3:')) return `s3:bucket/${name}-plain`;
          return side.replace('@', world.dir);
        });
        const env = { SYNCER_RCLONE: newerRclone ?? '', RCLONE_CONFIG: world.config };
        const [one = '', other = ''] = sides;
        await playRcloneHistory({ world, env, sides: [one, other] }, seed * 100 + index, STEPS);
        await world.remove();
      });
    }
  }
});
