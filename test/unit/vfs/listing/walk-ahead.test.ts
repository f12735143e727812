import { expect, test } from 'vitest';
import { vfsWorld } from '../../../support/vfs-world.ts';

const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i + 10}/sub/f`, 'x']));
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('who opens directory after directory finds the next ones listed, and the first ones in them', async () => {
  const w = await vfsWorld({ files, network: true });
  await w.names('');
  await w.names('d10');
  expect(w.calls).toEqual(['listPage ', 'listPage d10']);
  await w.names('d11');
  await settled();
  expect(w.calls).toContain('listPage d12');
  expect(w.calls).toContain('listPage d11/sub');
  const before = w.calls.length;
  await w.names('d12');
  expect(w.calls.slice(before)).not.toContain('listPage d12');
});

test('what was listed ahead and failed is listed again, and told, when it is needed', async () => {
  let fails = true;
  const w = await vfsWorld({
    files,
    network: true,
    wrap: (remote) => ({
      ...remote,
      listPage: async (dir, cursor, each) => {
        if (fails && dir === 'd12') throw new Error('cut');
        return remote.listPage(dir, cursor, each);
      },
    }),
  });
  for (const dir of ['', 'd10', 'd11']) await w.names(dir);
  await settled();
  await expect(w.names('d12')).rejects.toThrow('cut');
  fails = false;
  expect(await w.names('d12')).toEqual(['sub']);
});

test('on a disk nothing is listed ahead', async () => {
  const w = await vfsWorld({ files });
  for (const dir of ['', 'd10', 'd11', 'd12']) await w.names(dir);
  await settled();
  expect(w.calls.filter((call) => call.startsWith('listPage'))).toHaveLength(4);
});

test('with refresh everything is listed after the start; what fails is logged and listed when it is needed', async () => {
  let fails = true;
  const w = await vfsWorld({
    files: { ...files, 'deep/a/b/c/d': 'x' },
    options: { refresh: true },
    wrap: (remote) => ({
      ...remote,
      listPage: async (dir, cursor, each) => {
        if (fails && dir === 'd12') throw new Error('cut');
        return remote.listPage(dir, cursor, each);
      },
    }),
  });
  for (let i = 0; i < 5; i++) await settled();
  expect(w.calls.filter((call) => call.startsWith('listPage'))).toHaveLength(84);
  expect(w.logged).toEqual(['refresh d12']);
  fails = false;
  w.calls.length = 0;
  for (const dir of ['', 'd10/sub', 'deep/a/b/c']) await w.names(dir);
  expect(w.calls).toEqual([]);
  expect(await w.names('d12')).toEqual(['sub']);
});
