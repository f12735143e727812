import type { Plugin } from 'rolldown';
import { MD5_LAYOUT, md5Module } from '../../src/hashes/md5-lanes/md5-module.ts';

const MODULE = /[/\\]src[/\\]hashes[/\\]md5-lanes[/\\]md5-module\.ts$/;

/** Has the bundle contain the bytes of `md5Module`, which take each run 15 milliseconds to make. */
export function madeAhead(): Plugin {
  return {
    name: 'made ahead',
    load(id) {
      if (!MODULE.test(id)) return null;
      const bytes = Buffer.from(md5Module()).toString('base64');
      return [
        `export const MD5_LAYOUT = ${JSON.stringify(MD5_LAYOUT)};`,
        `export const md5Module = () => Buffer.from('${bytes}', 'base64');`,
      ].join('\n');
    },
  };
}
