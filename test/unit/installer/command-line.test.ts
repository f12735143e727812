import { expect, test } from 'vitest';
import { layoutOf } from '../../../installer/machine/installed-files.ts';
import { FLAGS, parseCommandLine, readOptions } from '../../../installer/read-options.ts';
import { helpText } from '../../../installer/run-installer.ts';
import { toSyncerError } from '../../../src/core/errors.ts';

const HERE = { cwd: '/home/me', machine: 'x86_64' };
const options = (...words: string[]) => readOptions(parseCommandLine(words).flags, HERE);

function faultOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    return toSyncerError(thrown);
  }
}

test('commands and flags, in any order, with = or as another word', () => {
  const { action, flags } = parseCommandLine(['--port=80', 'install', '-y', '--token', 'a=b']);
  expect(action).toBe('install');
  expect(flags).toEqual({ port: '80', yes: '', token: 'a=b' });
  expect(parseCommandLine(['-yn', '--', 'upgrade'])).toEqual({
    action: 'upgrade',
    flags: { yes: '', 'dry-run': '' },
  });
  expect(parseCommandLine([]).action).toBe('menu');
  expect(parseCommandLine(['install', '-h']).action).toBe('help');
});

test('what it does not know is an error that says so', () => {
  const faults: readonly (readonly [readonly string[], RegExp])[] = [
    [['remove'], /unknown command "remove"/],
    [['install', 'upgrade'], /unexpected argument "upgrade" after "install"/],
    [['--nothing'], /unknown flag: --nothing$/],
    [['--prt', '80'], /unknown flag: --prt \(did you mean --port\?\)/],
    [['--transfers', '4'], /unknown flag: --transfers$/],
    [['-x'], /unknown flag: -x/],
    [['--yes=no'], /takes no value/],
    [['--port'], /flag needs an argument: --port/],
    [['--port', ''], /needs a value: N/],
    [['--port='], /needs a value: N/],
  ];
  for (const [words, message] of faults) {
    const fault = faultOf(() => parseCommandLine(words));
    expect(fault).toMatchObject({ message: expect.stringMatching(message), exit: 2 });
  }
});

test('the defaults are those of the specification', () => {
  const { workFolder, testScript, program, hooks, unit } = layoutOf(options());
  expect({ workFolder, testScript, program, hooks, unit }).toEqual({
    workFolder: '/home/me/webhook',
    testScript: '/home/me/webhook/test.sh',
    program: '/usr/bin/webhook',
    hooks: '/etc/webhook.conf',
    unit: '/lib/systemd/system/webhook.service',
  });
  expect(options()).toMatchObject({ port: 9191, version: '2.8.0', restartDelay: '5s', root: '/' });
});

test('with --root, a work folder outside it is taken to be inside already', () => {
  expect(options('--root', '/image').workDir).toBe('/home/me');
  expect(options('--root', '/image', '--work-dir', '/srv').workDir).toBe('/srv');
  expect(options('--root', '/image', '--work-dir', '/image/srv').workDir).toBe('/srv');
  expect(options('--root', '.', '--work-dir', '.').workDir).toBe('/');
});

test('values that cannot be are refused', () => {
  const faults: readonly (readonly [string, string])[] = [
    ['--port', '0'],
    ['--port', '65536'],
    ['--port', '9191x'],
    ['--version', '../2.8.0'],
    ['--version', 'xx'],
    ['--version', 'v2.8.0'],
    ['--release-url', 'ftp://host'],
    ['--mirror-url', 'mirror'],
    ['--sha256', 'abc'],
    ['--work-dir', '/a\nb'],
    ['--work-dir', '/a\u2028b'],
    ['--bin-dir', '/a"b'],
    ['--hooks', '/a b '],
    ['--hooks', '/etc/\u0085'],
    ['--bin-dir', 'bin'],
    ['--restart-delay', 'soon'],
    ['--connect-timeout', '0s'],
  ];
  for (const [flag, value] of faults) {
    const fault = faultOf(() => options(flag, value));
    expect(fault, flag).toMatchObject({ message: expect.stringMatching(/ is not /), exit: 2 });
  }
});

test('--program is instead of a release', () => {
  for (const flag of ['--archive', '--version', '--sha256']) {
    const value = { '--version': '2.8.1', '--sha256': 'a'.repeat(64) }[flag] ?? '/x';
    const fault = faultOf(() => options('--program', '/x', flag, value));
    expect(fault).toMatchObject({ message: `--program and ${flag} exclude each other`, exit: 2 });
  }
});

test('the help names every flag', () => {
  for (const { name, help } of FLAGS) {
    expect(helpText()).toContain(`--${name}`);
    expect(helpText()).toContain(help);
  }
});
