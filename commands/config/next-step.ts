import {
  type ConfigQuestion,
  nextQuestion,
  type QuestionInput,
} from '../../src/config/config-questions.ts';
import { authorizeLine, type Draft, withValues } from '../../src/config/dialogue/draft.ts';
import { readPastedToken } from '../../src/config/dialogue/pasted-token.ts';
import type { WizardWorks } from '../../src/config/dialogue/step.ts';
import { REFRESH_QUESTION, yesNoQuestion } from '../../src/config/option-sources.ts';
import { questionRecord } from '../../src/config/provider-record.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { SetUpAnswer, SetUpQuestion } from '../../src/core/options.ts';

/** What a dialogue with another program needs. */
export interface StepParts {
  readonly works: Pick<WizardWorks, 'login' | 'setUp'>;
  /** Answers given in advance, by the names of options. */
  readonly choices: ReadonlyMap<string, string>;
  /** Every question gets its default. */
  readonly takesDefaults: boolean;
  /** The login and the questions of the backend follow those about options. */
  readonly followsLogin: boolean;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
}

const FIRST_LOGIN = '*oauth';
const END: ConfigQuestion = { state: '', option: undefined };

/**
 * Continues to the next open question: those about options, then the login, then those of the backend; rclone itself asks
 * all of its own types. The states are rclone's. For a token that cannot be read the state stays, with the error. Rejects with `usage` for an unknown
 * state.
 *
 * @returns `error`: why the last answer is invalid; `''` if it is valid
 */
export async function nextStep(begun: Draft, input: QuestionInput, parts: StepParts) {
  const { choices, takesDefaults } = parts;
  const { isOfRclone = false } = begun.kind;
  const hasLogin = begun.kind.login !== undefined;
  if (isOfRclone && !parts.followsLogin) return { question: END, error: '', draft: begun };
  let draft = begun;
  let now = input;
  for (;;) {
    const isOfOptions = now.state === '' || now.state.startsWith('*all') || !hasLogin;
    if (isOfOptions && !isOfRclone) {
      const answered = nextQuestion(draft.kind, draft.values, now, choices, takesDefaults);
      draft = { ...draft, values: answered.values };
      const { question } = answered;
      if (question.state !== '' || !hasLogin || !parts.followsLogin) {
        return { question, error: '', draft };
      }
      now = { state: FIRST_LOGIN, result: '' };
      continue;
    }
    const isLogin = now.state.startsWith(FIRST_LOGIN) && !isOfRclone;
    const told: SetUpAnswer = isLogin
      ? await loginStep(draft, now, parts)
      : await parts.works.setUp(draft, now, parts.signal, parts.tell);
    draft = withValues(draft, told.values ?? {});
    const { state, question: asked, error } = told;
    if (error !== undefined) {
      if (takesDefaults) throw new SyncerError('config', error);
      return { question: { state, option: undefined }, error, draft };
    }
    if (state === '') return { question: END, error: '', draft };
    const answer = asked === undefined ? '' : answerTo(asked, draft, parts);
    if (answer === undefined) {
      return { question: { state, option: asked && questionRecord(asked) }, error: '', draft };
    }
    now = { state, result: answer };
  }
}

function answerTo(
  { name, default: ifUnset = '' }: SetUpQuestion,
  draft: Draft,
  { choices, takesDefaults }: StepParts,
): string | undefined {
  const chosen = choices.get(name);
  if (chosen !== undefined || !takesDefaults) return chosen;
  // With a given login no other one is needed.
  if (name === REFRESH_QUESTION.name)
    return String(choices.get('token') !== draft.values.get('token'));
  if (name === IS_LOCAL.name) return String(!choices.has('config_token'));
  return ifUnset;
}

async function loginStep(
  draft: Draft,
  { state, result }: QuestionInput,
  { works, tell, signal }: StepParts,
): Promise<SetUpAnswer> {
  const [step] = state.split(',');
  const logIn = async (how: 'browser' | 'device'): Promise<SetUpAnswer> => {
    const token = await works.login(how, draft, tell, signal);
    return { state: 'choose_type', values: { token } };
  };
  switch (step) {
    case FIRST_LOGIN: {
      // The application logs in: there is no question for a person.
      if (draft.values.get('client_credentials') === 'true') return logIn('browser');
      const hasToken = (draft.values.get('token') ?? '') !== '';
      return hasToken ? ask('confirm', REFRESH_QUESTION) : ask('islocal', IS_LOCAL);
    }
    case '*oauth-confirm':
      return result === 'true' ? ask('islocal', IS_LOCAL) : { state: 'choose_type' };
    case '*oauth-islocal':
      if (result === 'true') return logIn('browser');
      if (result === 'device') return logIn('device');
      return ask('authorize', {
        name: 'config_token',
        type: 'string',
        required: true,
        help: `Execute the following on a machine with a web browser:\n\n\t${authorizeLine(draft, false)}\n\nThen paste the result.\n`,
      });
    case '*oauth-authorize': {
      const read = readPastedToken(result);
      if (read.state === 'complete') return { state: 'choose_type', values: { token: read.json } };
      return { state, error: `config_token: ${read.why || 'empty'}` };
    }
    default:
      throw new SyncerError('command-line', `invalid configuration state "${state}"`);
  }
}

function ask(step: string, question: SetUpQuestion): SetUpAnswer {
  // The end says where the dialogue continues.
  return { state: `${FIRST_LOGIN}-${step},choose_type,,`, question };
}

const IS_LOCAL = yesNoQuestion(
  'config_is_local',
  'Use auto config?\n * Say Y if not sure\n * Say N if you are working on a remote or headless machine\n',
  'true',
);
