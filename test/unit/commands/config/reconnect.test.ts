import { expect, test } from 'vitest';
import { type ConfigJob, REMOTE_KINDS } from '../../../../commands/config/config-job.ts';
import { disconnect, reconnect, userInfo } from '../../../../commands/config/reconnect.ts';
import { openConfigFile } from '../../../../src/config/config-file.ts';
import { iniText, parseIni } from '../../../../src/config/ini-lines.ts';
import type { LogEvent } from '../../../../src/core/events.ts';
import type { Capabilities } from '../../../../src/core/remote.ts';
import type { Reconnected } from '../../../../src/shell/command-line/command.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';

/** A subcommand on `d:`, whose storage can do what `can` says. */
function world(can: Capabilities, login?: Reconnected, json = false) {
  const messages: string[] = [];
  let printed = '';
  const invocation = {
    flags: { json },
    context: {
      signal: new AbortController().signal,
      emit: (event: LogEvent) => messages.push(messageOf(event)),
    },
    out: {
      write: async (text: string) => {
        printed += text;
      },
    },
    remotes: {
      openDir: async () => ({ title: 'drive of nobody', can }),
      reconnect: async () => login,
      rcloneSettings: async () => undefined,
    },
  } as unknown as ConfigJob['invocation'];
  const file = openConfigFile(
    undefined,
    () => {},
    async () => '',
  );
  const none = () => Promise.reject(new Error('not asked for'));
  const works = { login: none, setUp: none, readImport: none, test: none };
  const kinds = async () => REMOTE_KINDS;
  const rest = { works, converse: none, kinds, isTerminal: false };
  const job: ConfigJob = { file, args: ['d:'], invocation, ...rest };
  return { job, messages, printed: () => printed };
}

test('a new login is stored in its section, and nothing else changes there', async () => {
  const { job } = world({}, { section: 'd', values: { token: '{"a":1}' } });
  await job.file.update(() => parseIni('# mine\n[d]\ntype = k\ntoken = old\nother = x\n', 'file'));
  await reconnect(job);
  const text = iniText(await job.file.read());
  expect(text).toBe('# mine\n[d]\ntype = k\ntoken = {"a":1}\nother = x\n');
});

test('a login without a section to keep it in is told', async () => {
  const { job, messages } = world({}, { section: undefined, values: { token: 'x' } });
  await reconnect(job);
  expect(messages).toEqual([expect.stringContaining('the login was not saved')]);
  expect(await job.file.read()).toEqual([]);
});

test('what the storage cannot do is told in the words of rclone', async () => {
  const { job } = world({});
  await expect(reconnect(job)).rejects.toThrow("backend doesn't support reconnect or authorize");
  await expect(disconnect(job)).rejects.toThrow("drive of nobody doesn't support Disconnect");
  await expect(userInfo(job)).rejects.toThrow("drive of nobody doesn't support UserInfo");
});

test('a login is given up by the storage', async () => {
  const calls: string[] = [];
  await disconnect(world({ disconnect: async () => void calls.push('gone') }).job);
  expect(calls).toEqual(['gone']);
});

test('who is logged in is shown in columns by name, or as JSON', async () => {
  const can = { userInfo: async () => ({ name: 'N', displayName: 'D & d' }) };
  const text = world(can);
  await userInfo(text.job);
  expect(text.printed()).toBe('displayName: D & d\n       name: N\n');
  const json = world(can, undefined, true);
  await userInfo(json.job);
  expect(json.printed()).toBe('{\n\t"displayName": "D \\u0026 d",\n\t"name": "N"\n}\n');
});
