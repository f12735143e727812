import { toSyncerError } from '../../core/errors.ts';
import { ADVANCED_QUESTION } from '../option-sources.ts';
import { isRemoteName, remoteNameRule } from '../remote-names.ts';
import {
  type Draft,
  firstOptions,
  isOfLogin,
  lacksRclone,
  type WizardKind,
  withValue,
} from './draft.ts';
import { loginScript, setUpScript } from './login-script.ts';
import {
  changesOf,
  confirmQuestion,
  listed,
  optionQuestion,
  unneededOf,
} from './option-question.ts';
import {
  ask,
  type Expand,
  type Outcome,
  type Question,
  question,
  type Script,
  sureQuestion,
  type WizardWorld,
  yesNo,
} from './step.ts';

/** The id of the question for the name of a new remote. */
export const NAME_ID = 'new/name';
/** The id of the question for its backend. */
export const STORAGE_ID = 'new/storage';

/** Creates a remote: name, backend, its options, the login, confirm. */
export function* newRemote(world: WizardWorld): Script {
  const name = yield* ask(nameQuestion(world, NAME_ID, ''));
  const offered = world.kinds.filter((kind) => !lacksRclone(kind));
  const names = offered.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  const more =
    ' Other types, such as sftp, drive and crypt, need rclone: https://rclone.org/install/';
  const type = yield* ask(
    question({
      id: STORAGE_ID,
      kind: 'list',
      title: 'Storage',
      about: `Type of storage to configure.${world.kinds.some(lacksRclone) ? more : ''}`,
      exclusive: true,
      choices: offered.map(({ type, aliases = [], summary, group = '', isOfRclone }) => ({
        value: type,
        group: isOfRclone === true ? 'Through rclone' : group,
        label: [type, ...aliases].join(', '),
        help: summary,
        aliases,
      })),
      check: (text) => (names.includes(text) ? undefined : `Unknown storage type "${text}".`),
    }),
  );
  const kind = world.kinds.find((one) => one.type === type || one.aliases?.includes(type));
  if (kind === undefined) return { type: 'nothing' };
  const draft = { name, kind, values: new Map(), original: undefined };
  return yield* remoteDialogue(draft, world, new Set());
}

/** Asks for the name of a remote that does not exist yet. */
export function nameQuestion(world: WizardWorld, id: string, preset: string): Question {
  return question({
    id,
    title: 'name',
    about: 'Enter name for new remote.',
    example: 'photos',
    preset,
    check: (text) => {
      if (text === '') return 'Enter a name.';
      if (!isRemoteName(text)) return `Invalid name: ${remoteNameRule}.`;
      const isTaken = world.remotes.some(({ name }) => name === text);
      return isTaken ? `A remote named "${text}" already exists.` : undefined;
    },
  });
}

/** Asks for the options of a remote and its login, but what is `given`; without it a screen shows the form at once. */
export function* remoteDialogue(
  begun: Draft,
  { expand, isScreen }: Pick<WizardWorld, 'expand' | 'isScreen'>,
  given?: ReadonlySet<string>,
): Script {
  const answered = given ?? new Set<string>();
  const isForm = given === undefined && isScreen === true;
  let draft = isForm
    ? begun
    : yield* allQuestions(begun, answered, begun.original !== undefined, expand);
  for (;;) {
    const decided = yield* ask(confirmQuestion(draft, idOf(draft)), draft);
    if (decided === 'd') return { type: 'nothing' };
    if (decided === 'y' && !changesOf(draft).isChanged) return { type: 'nothing' };
    if (decided === 'y') return { type: 'save', draft } satisfies Outcome;
    if (decided === 'x') {
      const names = unneededOf(draft);
      const about = `Delete the stored ${listed(names)} of "${draft.name}"? Many providers show a secret only once.`;
      const isSure = yield* ask(sureQuestion(`${idOf(draft)}/delete`, about), draft);
      if (isSure === 'true') draft = names.reduce((now, name) => withValue(now, name, ''), draft);
    } else if (decided === 'e') draft = yield* allQuestions(draft, answered, true, expand);
    else draft = yield* oneQuestion(draft, decided.slice(EDIT_ONE.length), answered, expand);
  }
}

/** An answer to the last question: edit only the option behind it. */
export const EDIT_ONE = 'e:';

function* allQuestions(
  begun: Draft,
  answered: ReadonlySet<string>,
  asksAgain: boolean,
  expand: Expand,
): Script<Draft> {
  let draft = begun;
  const { kind } = begun;
  const id = idOf(begun);
  const first = firstOptions(kind);
  for (const { name, where } of first) {
    if (answered.has(name)) continue;
    if (where !== undefined && !where.is.includes(draft.values.get(where.option) ?? '')) {
      // A stored value is kept: the last question says so, and can delete it.
      if (draft.original?.has(name) !== true) draft = withValue(draft, name, '');
      continue;
    }
    draft = yield* askOption(draft, name, true, expand);
  }
  const firstNames = new Set(first.map(({ name }) => name));
  const others = kind.options.filter(
    ({ name, isAsked }) =>
      isAsked !== false && !firstNames.has(name) && !answered.has(name) && !isOfLogin(kind, name),
  );
  if (others.length > 0 && (first.length > 0 || asksAgain)) {
    const wants = yesNo({
      id: `${id}/advanced`,
      title: 'y/n',
      about: ADVANCED_QUESTION.help,
      default: 'false',
    });
    if ((yield* ask(wants, draft)) === 'true') {
      for (const { name } of others) draft = yield* askOption(draft, name, false, expand);
    }
  }
  // rclone asks what follows the options: its login, and which of its drives it is.
  if (kind.isOfRclone && !lacksRclone(kind)) return yield* setUpScript(draft, id);
  return kind.login === undefined ? draft : yield* loginScript(draft, id, answered);
}

function* oneQuestion(
  draft: Draft,
  name: string,
  answered: ReadonlySet<string>,
  expand: Expand,
): Script<Draft> {
  if (isOfLogin(draft.kind, name)) {
    const login = { ...draft, needsLogin: name === 'token' };
    const after = yield* loginScript(login, idOf(draft), answered);
    const isSame = after.values.get('token') === draft.values.get('token');
    return { ...after, needsLogin: isSame && draft.needsLogin === true };
  }
  let now = yield* askOption(draft, name, true, expand);
  for (const { name: other, where } of firstOptions(draft.kind)) {
    const isMissing = where?.option === name && (now.values.get(other) ?? '') === '';
    if (isMissing && where.is.includes(now.values.get(name) ?? ''))
      now = yield* askOption(now, other, true, expand);
  }
  return now;
}

/** What equals the default is stored only if a new remote is asked for it first, as a decision; rclone stores none. */
function* askOption(draft: Draft, name: string, isFirst: boolean, expand: Expand): Script<Draft> {
  const option = draft.kind.options.find((one) => one.name === name);
  if (option === undefined) return draft;
  const old = draft.values.get(name) ?? '';
  const asked = optionQuestion(option, old, draft.values.get('provider') ?? '');
  const isPath = option.isPath === true;
  const check = (given: string) =>
    asked.check(given) ?? (isPath ? wrongPath(given, expand) : undefined);
  // The remarks are about the backends of syncer: rclone has applications of its own to log in with.
  const remark = draft.kind.isOfRclone ? () => undefined : asked.remark;
  const asking = { ...asked, check, remark, id: `${idOf(draft)}/${name}` };
  const typed = (yield* ask(asking, draft)).trim();
  const text = isPath && wrongPath(typed, expand) === undefined ? expand(typed) : typed;
  const wasThere = draft.original?.has(name) === true;
  const isDecision = isFirst && draft.original === undefined && draft.kind.isOfRclone !== true;
  const isStored = isDecision || wasThere || text !== (option.default ?? '');
  return withValue(draft, name, isStored ? text : '');
}

function wrongPath(typed: string, expand: Expand): string | undefined {
  try {
    expand(typed.trim());
    return undefined;
  } catch (thrown) {
    return toSyncerError(thrown).message;
  }
}

/** The step of a new remote that a question belongs to, by the id of the question. */
export function stepName(id: string, kind: WizardKind | undefined): string {
  if (id === NAME_ID) return 'Name';
  if (id === STORAGE_ID || kind === undefined) return 'Type';
  const name = id.slice(id.lastIndexOf('/') + 1);
  if (name === 'confirm') return 'Test and save';
  const first = firstOptions(kind).find((option) => option.name === name);
  if (first !== undefined) return first.step ?? 'Settings';
  const isOption = kind.options.some((option) => option.name === name);
  return name === 'advanced' || (isOption && !isOfLogin(kind, name))
    ? 'Advanced settings'
    : 'Login';
}

/** Dialogues about different remotes and kinds keep their answers apart. */
function idOf({ original, name, kind }: Draft): string {
  return `${original === undefined ? 'new' : `edit ${name}`}/${kind.type}`;
}
