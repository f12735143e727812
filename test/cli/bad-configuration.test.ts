import { chmod, readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG';

const CONFIG = `# a comment
[odd]
type = ftpp
pass = ${SECRET}

[typeless]
secret_access_key = ${SECRET}

[no-secret]
type = s3
provider = Other
access_key_id = AKIA
endpoint = http://127.0.0.1:1

[no-key]
type = s3
provider = Other
secret_access_key = ${SECRET}
endpoint = http://127.0.0.1:1

[no-endpoint]
type = s3
provider = Other
access_key_id = AKIA
secret_access_key = ${SECRET}

[bad-endpoint]
type = s3
provider = Other
access_key_id = AKIA
secret_access_key = ${SECRET}
endpoint = http://[

[bad-size]
type = s3
provider = AWS
access_key_id = AKIA
secret_access_key = ${SECRET}
chunk_size = 5Q

[round]
type = alias
remote = round:x
`;

const world = await makeSyncerWorld();
afterAll(() => world.remove());
const tree = { a: 'content of a' };
await writeTree(`${world.dir}/src`, tree);
await writeTree(`${world.dir}/dst`, tree);
const before = await readTree(world.dir);

const BROKEN = `${CONFIG}this is ${SECRET} and no pair\n`;
const brokenLine = BROKEN.split('\n').length - 1;

test.each<[what: string, command: string, remote: string, says: (string | RegExp)[]]>([
  ['unknown remote', 'copy', 'nosuch:b', ['"nosuch"', 'syncer.conf"', 'see "syncer listremotes"']],
  ['misspelt remote', 'sync', 'bad-sizes:b', ['"bad-sizes"', 'bad-size', 'did you mean']],
  ['unknown type', 'sync', 'odd:b', ['"odd"', '"ftpp"', 'did you mean "ftp"?']],
  ['section without type', 'copy', 'typeless:b', ['"typeless"', 'add a line such as "type = s3"']],
  ['missing secret', 'sync', 'no-secret:b', ['"no-secret"', 'option secret_access_key is missing']],
  [
    'missing key id',
    'move',
    'no-key:b',
    ['"no-key"', 'option access_key_id is missing', 'set both'],
  ],
  [
    'missing endpoint',
    'sync',
    'no-endpoint:b',
    ['"no-endpoint"', 'endpoint is missing', 'set it to'],
  ],
  ['bad endpoint', 'copy', 'bad-endpoint:b', ['"bad-endpoint"', 'not a host or URL']],
  ['bad size', 'copy', 'bad-size:b', ['"bad-size"', 'chunk_size', '5Q', 'examples: ']],
  ['alias to itself', 'copy', 'round:b', ['"round"', 'is an alias of itself']],
])('%s', async (_what, command, remote, says) => {
  await writeFile(world.config, CONFIG);
  const failure = { code: 1, says, secrets: [SECRET] };
  expectFailure(await world.run([command, 'src', remote]), failure);
  expectFailure(await world.run([command, remote, 'dst', '-vv']), failure);
  expect(await readTree(world.dir)).toEqual(before);
  expect(await readFile(world.config, 'utf8')).toBe(CONFIG);
});

test('a broken line is told with its number, for every command, and the file stays as it is', async () => {
  await writeFile(world.config, BROKEN);
  const says = [`syncer.conf": line ${brokenLine} `, 'is neither "[section]", "key = value" nor'];
  for (const words of [
    ['sync', 'src', 'no-key:b', '-vv'],
    ['ls', 'typeless:'],
    ['config', 'update', 'odd', 'user', 'x'],
  ]) {
    expectFailure(await world.run(words), { code: 1, says, secrets: [SECRET] });
  }
  expect(await readTree(world.dir)).toEqual(before);
  expect(await readFile(world.config, 'utf8')).toBe(BROKEN);
});

test('a configuration that is not broken can be changed by the program', async () => {
  await writeFile(world.config, CONFIG);
  await chmod(world.config, 0o600);
  const { code, stderr } = await world.run(['config', 'update', 'bad-size', 'chunk_size', '6M']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const changed = CONFIG.replace('chunk_size = 5Q', 'chunk_size = 6M');
  expect(await readFile(world.config, 'utf8')).toBe(changed);
});

test('a configuration that cannot be read is told', async () => {
  const failure = { code: 1, says: ['/nonexistent/dir', 'cannot be read'] };
  const words = ['copy', 'src', 'store:b', '--config', `${world.dir}/src/a/nonexistent/dir`];
  expectFailure(await world.run(words), failure);
});
