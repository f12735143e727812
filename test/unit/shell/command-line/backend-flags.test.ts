import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { backendFlags } from '../../../../src/shell/command-line/backend-flags.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';

const parse = (flag: string) =>
  parseCommandLine(['ls', flag, 'x'], {
    commands: COMMANDS,
    backendFlags: backendFlags(),
    env: {},
    nowMs: 0,
  });

test.each([
  '--onedrive-encoding=Slash,x',
  '--s3-encoding=x',
  '--local-encoding=x',
  '--local-time-type=zz',
  '--onedrive-encoding=',
  '--s3-encoding=',
  '--local-encoding=',
  '--local-time-type=',
  '--onedrive-metadata-permissions=read,x',
  '--s3-list-url-encode=x',
  '--s3-use-data-integrity-protections=x',
  '--s3-chunk-size=x',
  '--onedrive-token-url=x',
])('%s is wrong usage', (flag) => {
  const [name = ''] = flag.split('=');
  const refusal = { code: 'command-line', message: expect.stringContaining(name) };
  expect(() => parse(flag)).toThrow(expect.objectContaining(refusal));
});

test.each([
  '--onedrive-encoding=Slash,Dot',
  '--onedrive-token-url=',
  '--onedrive-metadata-permissions=read,failok',
  '--onedrive-description=text',
  '--local-description=text',
  '--s3-list-url-encode=unset',
  '--s3-list-url-encode=false',
  '--s3-list-url-encode=Unset',
  '--s3-use-data-integrity-protections=unset',
  '--s3-use-data-integrity-protections=',
])('%s is an option of its remotes', (flag) => {
  const [name = '', value] = flag.slice(2).split('=');
  expect(parse(flag).backendFlags).toEqual({ [name]: value });
});
