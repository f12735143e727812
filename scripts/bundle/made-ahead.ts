import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';
import { MD5_LAYOUT, md5Module } from '../../src/hashes/md5-lanes/md5-module.ts';

const MD5 = /[/\\]src[/\\]hashes[/\\]md5-lanes[/\\]md5-module\.ts$/;

/** Schemas of the databases: files beside the module that reads them. */
const SCHEMAS = /[/\\]src[/\\]state[/\\]schemas\.ts$/;
const READING = /^const sql = .*$/m;
const FILE = /sql\('([\w.-]+)'\)/g;

/** Has the bundle contain the bytes of `md5Module`, which take each run 15 milliseconds to make, and files of SQL. */
export function madeAhead(): Plugin {
  return {
    name: 'made ahead',
    async load(id) {
      if (MD5.test(id)) return md5Text();
      return SCHEMAS.test(id) ? schemasText(id) : null;
    },
  };
}

function md5Text(): string {
  const bytes = Buffer.from(md5Module()).toString('base64');
  return [
    `export const MD5_LAYOUT = ${JSON.stringify(MD5_LAYOUT)};`,
    `export const md5Module = () => Buffer.from('${bytes}', 'base64');`,
  ].join('\n');
}

async function schemasText(id: string): Promise<string> {
  const source = await readFile(id, 'utf8');
  const names = [...source.matchAll(FILE)].map(([, name = '']) => name);
  const texts = await Promise.all(
    names.map(
      async (name) => [name, await readFile(join(dirname(id), 'schema', name), 'utf8')] as const,
    ),
  );
  const files = JSON.stringify(Object.fromEntries(texts));
  if (!READING.test(source)) throw new Error(`${id} reads its schemas in another way`);
  return source.replace(READING, `const sql = (name: string): string => (${files})[name];`);
}
