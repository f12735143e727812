import type { FirstOption } from '../backends/backend.ts';
import { ADVANCED_QUESTION, optionList } from '../config/option-list.ts';
import { isRemoteName, remoteNameRule } from '../config/remote-name.ts';
import type { Draft, WizardKind } from './draft.ts';
import { withValue } from './draft.ts';
import { loginScript } from './login-script.ts';
import { optionQuestion, wrongWith } from './option-question.ts';
import type { Outcome } from './outcome.ts';
import { ask, letters, type Question, question, type Script, yesNo } from './step.ts';
import type { WizardWorld } from './wizard-world.ts';

/** The id of the question for the name of a new remote. */
export const NAME_ID = 'new/name';
/** The id of the question for its kind of storage. */
export const STORAGE_ID = 'new/storage';

/** Makes a remote: name, kind of storage, its options, the login, confirm. */
export function* newRemote(world: WizardWorld): Script {
  const name = yield* ask(nameQuestion(world, NAME_ID, ''));
  const type = yield* ask(kindQuestion(world));
  const kind = world.kinds.find((one) => one.type === type || one.aliases?.includes(type));
  if (kind === undefined) return { type: 'nothing' };
  return yield* remoteDialogue({ name, kind, values: new Map(), original: undefined }, new Set());
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

function kindQuestion(world: WizardWorld): Question {
  const names = world.kinds.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  return question({
    id: STORAGE_ID,
    kind: 'list',
    title: 'Storage',
    about: 'Type of storage to configure.',
    exclusive: true,
    choices: world.kinds.map(({ type, aliases = [], summary }) => ({
      value: type,
      label: type,
      help: summary,
      aliases,
    })),
    check: (text) => (names.includes(text) ? undefined : `Unknown storage type "${text}".`),
  });
}

/** Asks for the options of a remote, its login and what follows it; `answered` are not asked. */
export function* remoteDialogue(begun: Draft, answered: ReadonlySet<string>): Script {
  let draft = begun;
  for (let round = 0; ; round++) {
    const asksAgain = round > 0 || begun.original !== undefined;
    draft = yield* optionsScript(draft, answered, asksAgain);
    if (draft.kind.login !== undefined) draft = yield* loginScript(draft, idOf(draft), answered);
    const decided = yield* ask(confirmQuestion(draft), draft);
    if (decided === 'd') return { type: 'nothing' };
    if (decided === 'y') return { type: 'save', draft } satisfies Outcome;
  }
}

function* optionsScript(
  begun: Draft,
  answered: ReadonlySet<string>,
  asksAgain: boolean,
): Script<Draft> {
  let draft = begun;
  const first = firstOptions(draft.kind);
  for (const { name, where } of first) {
    if (answered.has(name)) continue;
    if (where !== undefined && !where.is.includes(draft.values.get(where.option) ?? '')) {
      draft = withValue(draft, name, '');
      continue;
    }
    draft = yield* askOption(draft, name, true);
  }
  const firstNames = new Set(first.map(({ name }) => name));
  const others = draft.kind.options.filter(
    ({ name, isAsked }) =>
      isAsked !== false &&
      !firstNames.has(name) &&
      !answered.has(name) &&
      !isOfLogin(draft.kind, name),
  );
  if (others.length === 0 || (first.length === 0 && !asksAgain)) return draft;
  const wants = yield* ask(
    yesNo({
      id: `${idOf(draft)}/advanced`,
      title: 'y/n',
      about: ADVANCED_QUESTION.help,
      default: 'false',
    }),
    draft,
  );
  if (wants !== 'true') return draft;
  for (const { name } of others) draft = yield* askOption(draft, name, false);
  return draft;
}

/** The login and what it finds out have questions of their own. */
function isOfLogin({ login }: WizardKind, name: string): boolean {
  return login !== undefined && (name === 'token' || login.finds.includes(name));
}

function firstOptions(kind: WizardKind): readonly FirstOption[] {
  return kind.firstOptions ?? optionList(kind, false);
}

/** What equals the default is stored only where a new remote is asked for it first: it is then a decision. */
function* askOption(draft: Draft, name: string, isFirst: boolean): Script<Draft> {
  const option = draft.kind.options.find((one) => one.name === name);
  if (option === undefined) return draft;
  const old = draft.values.get(name) ?? '';
  const asked = optionQuestion(option, old, draft.values.get('provider') ?? '');
  const text = (yield* ask({ ...asked, id: `${idOf(draft)}/${name}` }, draft)).trim();
  const wasThere = draft.original?.has(name) === true;
  const isDecision = isFirst && draft.original === undefined;
  const isStored = isDecision || wasThere || text !== (option.default ?? '');
  return withValue(draft, name, isStored ? text : '');
}

/** Dialogues about different remotes and kinds keep their answers apart. */
function idOf({ original, name, kind }: Draft): string {
  return `${original === undefined ? 'new' : `edit ${name}`}/${kind.type}`;
}

function confirmQuestion(draft: Draft): Question {
  const problems = draft.kind.options.flatMap((option) => {
    const wrong = wrongWith(option, draft.values.get(option.name) ?? '');
    return wrong === undefined ? [] : [`${option.name}: ${wrong}`];
  });
  return letters({
    id: `${idOf(draft)}/confirm`,
    title: 'y/e/d/t',
    about: problems.length === 0 ? 'Keep this remote?' : `Keep this remote? ${problems.join(' ')}`,
    choices: [
      { value: 'y', key: 'y', label: 'Yes this is OK', help: 'save it to the configuration' },
      { value: 'e', key: 'e', label: 'Edit this remote', help: 'change the answers' },
      { value: 'd', key: 'd', label: 'Discard', help: 'back to the menu, nothing is saved' },
      {
        value: 't',
        key: 't',
        label: 'Test the connection',
        help: 'list the root; writes nothing',
      },
    ],
  });
}

/** The id of the question that confirms a remote. */
export function isConfirm({ id }: Question): boolean {
  return id.endsWith('/confirm');
}
