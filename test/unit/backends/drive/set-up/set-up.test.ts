import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenParams } from '../../../../../src/backends/backend.ts';
import { setUp } from '../../../../../src/backends/drive/set-up/set-up.ts';
import { systemClock } from '../../../../../src/core/context.ts';
import type { SetUpAnswer } from '../../../../../src/core/options.ts';
import { startTestGraph, type TestGraph } from '../../../../servers/graph/start-graph.ts';

let graph: TestGraph;
beforeAll(async () => {
  graph = await startTestGraph({
    drives: [
      { type: 'business' },
      { type: 'personal' },
      { type: 'documentLibrary', site: 'team' },
      { type: 'documentLibrary', site: 'root' },
    ],
  });
});
afterAll(() => graph.stop());
beforeEach(() => graph.setFaults(undefined));

function params(options: Readonly<Record<string, string>> = {}): OpenParams {
  const { token_url, client_id, token } = graph.section();
  const login = { token_url: token_url ?? '', client_id: client_id ?? '', token: token ?? '' };
  return {
    name: 'd',
    root: '',
    options: { ...login, graph_url: graph.graphUrl, ...options },
    context: { signal: new AbortController().signal, clock: systemClock, emit: () => {} },
    transport: {
      timeoutMs: 10_000,
      connectTimeoutMs: 10_000,
      lowLevelRetries: 1,
      insecureTls: false,
      userAgent: 'test',
      env: {},
    },
  };
}

/** Answers one question after the other; `confirm` answers whether the drive is right. */
async function dialogue(answers: readonly string[], options = {}) {
  const asked: string[] = [];
  const offered: string[][] = [];
  let values: Record<string, string> = {};
  let told: SetUpAnswer = { state: '' };
  let input = { state: '', result: '' };
  const left = [...answers];
  for (;;) {
    told = await setUp(params(options), input);
    values = { ...values, ...told.values };
    const { question } = told;
    if (told.error !== undefined) return { asked, offered, values, told };
    if (question === undefined && told.state === '') return { asked, offered, values, told };
    if (question !== undefined) {
      asked.push(question.name);
      offered.push((question.examples ?? []).map(({ value, help }) => `${value}: ${help}`));
    }
    const result = question === undefined ? '' : left.shift();
    if (result === undefined) return { asked, offered, values, told };
    input = { state: told.state, result };
  }
}

const ids = () => graph.drives.map(({ id }) => id);

describe('which drive it is', () => {
  test('of the account, the default one first', async () => {
    const [first = '', second = ''] = ids();
    const { asked, offered, values } = await dialogue(['onedrive', second, 'true']);
    expect(asked).toEqual(['config_type', 'config_driveid', 'config_drive_ok']);
    expect(offered[1]).toEqual([`${first}: OneDrive (business)`, `${second}: OneDrive (personal)`]);
    expect(values).toEqual({ drive_id: second, drive_type: 'personal' });
  });

  test.each([
    ['sharepoint', [], 3],
    ['url', ['team'], 2],
    ['url', ['https://contoso.sharepoint.com/sites/team'], 2],
    ['path', ['/sites/team'], 2],
  ])('of a site: %s %j', async (kind, way, index) => {
    const id = ids()[index] ?? '';
    const { values } = await dialogue([kind, ...way, id, 'true']);
    expect(values).toEqual({ drive_id: id, drive_type: 'documentLibrary' });
  });

  test('of a site that is searched for', async () => {
    const found = await dialogue(['search', 'tea']);
    expect(found.asked.at(-1)).toBe('config_site');
    expect(found.offered.at(-1)).toHaveLength(1);
    const [site = ''] = found.told.question?.examples?.map(({ value }) => value) ?? [];
    const id = ids()[2] ?? '';
    const byId = await dialogue(['siteid', site, id, 'true']);
    expect(byId.values['drive_id']).toBe(id);
    expect((await dialogue(['search', 'tea', site, id, 'true'])).values['drive_id']).toBe(id);
  });

  test('by its id; the one it had stands there', async () => {
    const id = ids()[1] ?? '';
    const begun = await dialogue(['driveid'], { drive_id: 'old' });
    expect(begun.told.question).toMatchObject({ name: 'config_driveid_fixed', default: 'old' });
    const { values, told } = await dialogue(['driveid', id, id]);
    expect(values['drive_id']).toBe(id);
    expect(told.question).toMatchObject({
      name: 'config_drive_ok',
      isConfirmation: true,
      help: expect.stringContaining('of type "personal"'),
    });
  });

  test('"no" goes back to the first question', async () => {
    const [id = ''] = ids();
    const { asked } = await dialogue(['onedrive', id, 'false']);
    expect(asked.at(-1)).toBe('config_type');
  });
});

describe('what cannot be found leads back to the first question, and says why', () => {
  test.each([
    [['search', 'nothing like it'], 'no site found'],
    [['url', 'nosuch'], 'cannot find site /sites/nosuch'],
    [['driveid', 'nosuch', 'nosuch'], 'cannot open drive nosuch'],
  ])('%j', async (answers, why) => {
    const { told } = await dialogue(answers);
    expect(told).toMatchObject({ state: 'choose_type', error: expect.stringContaining(why) });
  });

  test('a login that has ended', async () => {
    const token = '{"access_token":"old","expiry":"2000-01-01T00:00:00Z"}';
    const { told } = await dialogue(['onedrive'], { token });
    expect(told.error).toContain('the login has expired');
  });
});

test('a login that is renewed meanwhile is among the values', async () => {
  const token = JSON.stringify(graph.newToken(-60));
  const { values, told } = await dialogue(['onedrive'], { token });
  expect(told.question?.name).toBe('config_driveid');
  expect(JSON.parse(values['token'] ?? '')).toMatchObject({ refresh_token: expect.any(String) });
});

test('what is no state is refused', async () => {
  await expect(setUp(params(), { state: 'nosuch', result: '' })).rejects.toMatchObject({
    code: 'command-line',
  });
});
