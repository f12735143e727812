import type { SetUpAnswer } from '../../core/options.ts';
import { REFRESH_QUESTION } from '../option-sources.ts';
import { authorizeLine, type Draft, hasPlace, withValue, withValues } from './draft.ts';
import { optionQuestion } from './option-question.ts';
import { readPastedToken } from './pasted-token.ts';
import { ask, awaitWork, letters, question, type Script, yesNo } from './step.ts';

/** After a new login: whether the place is to be chosen again. */
export function* placeScript(draft: Draft): Script {
  const id = `place ${draft.name}`;
  if (hasPlace(draft) && (yield* ask(chooseAgain(id), draft)) !== 'true')
    return { type: 'nothing' };
  return { type: 'save', draft: yield* setUpScript(draft, id) };
}

/** The questions of rclone about a remote that it opens, once more: another login. */
export function* setUpAgain(draft: Draft): Script {
  const after = yield* setUpScript(draft, `set up ${draft.name}`);
  return after === draft ? { type: 'nothing' } : { type: 'save', draft: after };
}

function chooseAgain(id: string) {
  return yesNo({
    id: `${id}/choose-again`,
    title: 'y/n',
    about: 'Choose the drive again?',
    default: 'false',
  });
}

/** The login, and the questions of the store that follow it. */
export function* loginScript(
  begun: Draft,
  id: string,
  answered: ReadonlySet<string>,
): Script<Draft> {
  let draft = begun;
  const had = draft.values.get('token') ?? '';
  let isNew = false;
  const hasExpired = draft.needsLogin === true;
  const refresh = yesNo({
    id: `${id}/config_refresh_token`,
    title: 'y/n',
    about: `${REFRESH_QUESTION.help}${hasExpired ? ' The login has expired.' : ''}`,
    default: String(hasExpired),
  });
  if (!answered.has('token') && (had === '' || (yield* ask(refresh, draft)) === 'true')) {
    draft = yield* tokenScript(draft, id);
    isNew = draft.values.get('token') !== had;
  }
  if (draft.kind.login?.finds.some((key) => answered.has(key))) return draft;
  if (hasPlace(draft) && !isNew) {
    if ((yield* ask(chooseAgain(id), draft)) !== 'true') return draft;
  }
  return yield* setUpScript(draft, id);
}

function* tokenScript(draft: Draft, id: string): Script<Draft> {
  const asked = letters({
    id: `${id}/config_is_local`,
    title: 'y/n/d',
    about: 'Can this computer open a browser?',
    default: 'true',
    choices: [
      { value: 'true', key: 'y', label: 'Yes', help: 'log in with the browser on this machine' },
      {
        value: 'false',
        key: 'n',
        label: 'No',
        help: 'log in on another machine and paste the result here',
      },
      { value: 'device', key: 'd', label: 'Device', help: 'type a short code on another device' },
    ],
  });
  const isKeyed = draft.values.get('client_credentials') === 'true';
  const how = isKeyed ? 'true' : yield* ask(asked, draft);
  if (how !== 'false') {
    const work = { type: 'login', how: how === 'device' ? 'device' : 'browser', draft } as const;
    return withValue(draft, 'token', yield* awaitWork<string>(work, draft));
  }
  const lead = 'Execute this on a machine with a web browser, then paste the result:';
  const pasted = yield* ask(
    question({
      id: `${id}/config_token`,
      kind: 'token',
      title: 'config_token',
      about: `${lead}\n${authorizeLine(draft, true)}`,
      aboutInClear: `${lead}\n${authorizeLine(draft, false)}`,
      example: '{"access_token":"...","expiry":"2026-11-20T12:00:00Z"}',
      secret: true,
      check: (text) => {
        const read = readPastedToken(text);
        if (read.state === 'complete') return undefined;
        return read.state === 'empty' ? 'Log in first.' : read.why;
      },
    }),
    draft,
  );
  const read = readPastedToken(pasted);
  return withValue(draft, 'token', read.state === 'complete' ? read.json : '');
}

/** Not the store's own: leaves the questions where they cannot be answered. */
const SKIP = {
  value: 'skip',
  label: 'skip',
  help: "Save without choosing: use the account's default drive",
};

/** The questions that only the server, or rclone, can ask. */
export function* setUpScript(begun: Draft, id: string): Script<Draft> {
  let draft = begun;
  let input = { state: '', result: '' };
  let problem = '';
  for (;;) {
    const told = yield* awaitWork<SetUpAnswer>({ type: 'set-up', draft, input }, draft);
    draft = withValues(draft, told.values ?? {});
    problem = told.error ?? problem;
    const { question: option } = told;
    if (option === undefined || option.isConfirmation === true) {
      if (told.state === '') return draft;
      input = { state: told.state, result: option === undefined ? '' : 'true' };
      continue;
    }
    const asked = { ...optionQuestion(option, ''), id: `${id}/${option.name}` };
    const choices = problem === '' || !asked.exclusive ? asked.choices : [...asked.choices, SKIP];
    const result = (yield* ask({ ...asked, choices, problem }, draft)).trim();
    if (result === SKIP.value) return draft;
    problem = '';
    input = { state: told.state, result: result === '' ? asked.default : result };
  }
}
