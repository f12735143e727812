import { isAbsolute } from 'node:path';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import type { Context } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { FlagRows } from '../../core/flags.ts';
import type { Remote } from '../../core/remote.ts';
import { counted, harmless } from '../../core/shown-text.ts';
import { isBackup } from '../../engine/action.ts';
import {
  type Choosing,
  type Consent,
  type Keep,
  mayChange,
  PRETEND,
} from '../../engine/consent.ts';
import type {
  ChangedPlaces,
  Changing,
  CommandCall,
  Environment,
  Program,
  Remotes,
  Showing,
  StandardOutput,
} from '../../shell/command-line/command.ts';
import { type NoFlags, readsInput } from '../../shell/flags/flag-table.ts';
import { screenTerminal } from '../../shell/interactive/screen-terminal.ts';
import { logText } from '../../shell/log/log-text.ts';
import { shownText, shownWords } from '../../shell/log/shown-words.ts';
import { jobControl } from '../../shell/process/job-control.ts';
import { openRawKeys, type RawKeys } from '../../shell/process/raw-keys.ts';
import { startLiveBlock } from '../../shell/progress/live-block.ts';
import { absoluteSpec } from '../../shell/unit/unit-words.ts';
import { pastRuns } from '../../state/runs.ts';
import { shellLine } from '../../system/shell-words.ts';
import { isCtrl } from '../../terminal/key.ts';
import type { ScreenTerminal } from '../../terminal/screen-model.ts';
import { span } from '../../terminal/span.ts';
import type { Pace, SeenDest } from './afterwards.ts';
import type { TextDifference } from './difference-rows.ts';
import {
  byPath,
  ChosenPlan,
  CollectedPlan,
  type Left,
  type Plan,
  type PlanChoice,
} from './plan-consent.ts';
import type { Keeping } from './plan-loss.ts';
import { buildPlanTree } from './plan-tree.ts';
import { CHANGE_KINDS, type PlannedChange, reviewSize } from './planned-change.ts';
import { filterText, totalsText } from './review-lines.ts';
import type { ReviewContents, ReviewResult } from './review-state.ts';
import { openSave, readPlan } from './saved-plan.ts';

/** A command whose changes can be looked at before they are made. */
export interface Reviewable {
  readonly title: string;
  /** Both its paths change. */
  readonly isTwoWay?: true;
  /** Shows a plan on a terminal; resolves to the changes to make. */
  readonly show: (contents: ReviewContents, terminal: ScreenTerminal) => Promise<ReviewResult>;
  /** How the two versions of a conflict differ, or why that cannot be shown. */
  readonly difference?: (change: PlannedChange) => Promise<readonly TextDifference[] | string>;
  /** What its own flags say of lost content. */
  readonly keeping?: Partial<Keeping>;
  /** The user had it planned again. */
  readonly isAgain?: true;
  /** Why files go, where deleting is all the command does. */
  readonly deletesOnly?: string;
}

/** What a command whose changes can be looked at needs for that. */
export type ReviewNeeds<Own extends FlagRows = NoFlags> = CommandCall<Own> &
  Program &
  Environment &
  Remotes &
  StandardOutput &
  Changing;

const WORDS: Readonly<Record<Left['why'], string>> = {
  changed: 'Skipped: changed since the plan was shown',
  new: 'Skipped: not in the plan',
  missing: 'Skipped: no longer needed',
};

/**
 * `--review`: lists and decides, shows the plan, and makes the changes that were chosen. Where there is no terminal the
 * plan is printed and nothing is changed.
 */
export async function runReview<Needs extends ReviewNeeds>(
  invocation: Needs,
  reviewable: Reviewable,
  act: (under: Needs) => Promise<void>,
): Promise<void> {
  const { flags, out } = invocation;
  let places: readonly Remote[] = [];
  const changes = async (changed: ChangedPlaces) => {
    places = changed.remotes;
    await invocation.changes(changed);
  };
  const save =
    flags.save === undefined ? undefined : await openSave(invocation, reviewable.title, flags.save);
  const comeBack = asideOfRun(invocation);
  const onTerminal = isOnTerminal() && !readsInput(flags);
  let wasShown = false;
  let tracksNow = false;
  const choose = async (mayRetry: boolean): Promise<ChosenPlan | 'again' | 'end'> => {
    const plan = collected.changes;
    if (mayRetry && planning.attempt < flags.retries) return 'again';
    if (plan.size === 0) return 'end';
    wasShown = true;
    planning.leave();
    const keeps = new Map<PlannedChange, Keep>();
    const { problems } = planning;
    const shown = { plan, keeps, problems, seen: collected.seen, places };
    const chosen = await showPlan(invocation, reviewable, shown);
    tracksNow = chosen === 'with-renames';
    if (chosen === undefined || chosen === 'with-renames') return 'end';
    if (save !== undefined) {
      await save({ plan, chosen, keeps });
      return 'end';
    }
    comeBack();
    planning.end();
    const onLeft = (left: Left) => tellLeft(invocation.context, left);
    return new ChosenPlan({ plan, chosen, keeps }, { hasWaited: true, onLeft });
  };
  const readOnly = save !== undefined || flags['dry-run'];
  const rules = { deletesOnly: reviewable.deletesOnly, onListed: () => planning.listed() };
  const collected = new CollectedPlan(onTerminal ? { ...rules, readOnly, choose } : rules);
  const consent: Consent = { how: 'collect', plan: collected };
  const planning = startPlanning(invocation.context, collected, onTerminal);
  let failure: { readonly thrown: unknown } | undefined;
  try {
    await act({ ...invocation, consent, changes, context: planning.context });
  } catch (thrown) {
    const isNothing = collected.chosen === undefined && hasCode(thrown, 'no-transfer');
    failure = isNothing ? undefined : { thrown };
  } finally {
    planning.leave();
  }
  invocation.context.signal.throwIfAborted();
  if (tracksNow) {
    comeBack();
    const tracking = { ...flags, 'track-renames': true };
    return runReview({ ...invocation, flags: tracking }, { ...reviewable, isAgain: true }, act);
  }
  const { chosen } = collected;
  // The user has seen the plan with its problems, and left.
  const isLeft = chosen === undefined && wasShown && !readOnly;
  if (isLeft && toSyncerError(failure?.thrown).stop !== true) return;
  if (chosen === undefined) planning.tell();
  const canShow = chosen === undefined && !wasShown && collected.changes.size > 0;
  if (failure !== undefined && (!canShow || toSyncerError(failure.thrown).stop))
    throw failure.thrown;
  if (chosen !== undefined) return refuseLeft(chosen, invocation.context);
  if (wasShown) return;
  if (flags.save !== '-') for (const line of planText(collected.changes)) await out.write(line);
  if (failure !== undefined) throw failure.thrown;
  const plan = collected.changes;
  await save?.({ plan, chosen: new Set(plan.values()), keeps: new Map() });
}

/** Takes the view of the run away and holds its clock: a run begins when its plan is applied. Returns the way back. */
function asideOfRun({ stepAside, holdClock }: Showing): () => void {
  const go = holdClock();
  const appear = stepAside?.();
  return () => {
    go();
    appear?.();
  };
}

/** Shows a plan; `undefined` if the user quit. `subject`: the rest of its command line, if another one runs. */
async function showPlan(
  invocation: ReviewNeeds,
  reviewable: Reviewable,
  shown: Required<Pick<ReviewContents, 'problems' | 'plan' | 'keeps'>> &
    Pick<Partial<ReviewContents>, 'subject'> & {
      readonly seen?: SeenDest | undefined;
      readonly places: readonly Remote[];
    },
): Promise<ReviewResult> {
  const { title, show, difference, isTwoWay, isAgain } = reviewable;
  const { plan, problems, keeps, seen } = shown;
  const { args, flags, out } = invocation;
  const readOnly = flags['dry-run'] && flags.review;
  const terminal = screenTerminal(invocation);
  const { arrow, bothWays } = terminal.look.glyphs;
  const places = args.map((arg) => shownText(arg)).join(isTwoWay ? ` ${bothWays} ` : ` ${arrow} `);
  const saves = flags.save !== undefined;
  // It can be planned again: a sync takes its lock once.
  const isOnce = flags['delete-before'] || flags.lock || flags['lock-remote'] || saves;
  const mayTrack = !flags['track-renames'] && !isOnce && flags.apply === undefined;
  const filter = await invocation.filter();
  const explain = ({ path, isDir, size, source, dest }: PlannedChange) =>
    filterText(
      isDir ? filter.explainDir(path) : filter.explainFile({ path, size, ...(source ?? dest) }),
    );
  // Files that --suffix keeps are at the destination, too, under other names.
  const isAll = problems.length === 0 && !flags.suffix;
  const pace = seen && (await lastPace(invocation));
  let known: SeenDest | undefined;
  if (seen !== undefined) {
    const keeps = Boolean(flags.suffix || flags['backup-dir']);
    // Only the server knows whether a trash needs copies there.
    const { writes } = flags.trash ? { writes: undefined } : seen.costs;
    const costs = { ...seen.costs, writes, reads: seen.costs.reads && !flags.trash, keeps };
    known = { ...seen, isAll: seen.isAll && isAll, costs };
  }
  const keeping =
    readOnly || saves ? undefined : await keepingOf(invocation, reviewable, shown.places);
  const contents: ReviewContents = {
    plan,
    title,
    subject: shown.subject ?? places,
    problems,
    keeps,
    readOnly,
    saves,
    canTrack: title === 'sync' && mayTrack,
    explain,
    ...defined({ difference, isAgain, pace, seen: known, keeping }),
  };
  const showLog = invocation.holdLog();
  const chosen = await show(contents, terminal).finally(showLog);
  if (chosen === undefined) await out.write('Nothing was changed.\n');
  return chosen;
}

/** What of these commands a review can move to the trash, or not: others decide about it before they plan. */
const SWITCHES: ReadonlySet<string> = new Set('copy copyto sync delete'.split(' '));
const TURNS_ON: ReadonlySet<string> = new Set([...SWITCHES, 'move', 'moveto', 'bisync']);

/** What keeps the content that a run deletes or replaces in its places: the destination, or both of a two-way sync. */
async function keepingOf(
  invocation: ReviewNeeds,
  { title, isTwoWay, keeping }: Reviewable,
  places: readonly Remote[],
): Promise<Keeping | undefined> {
  const { flags, context } = invocation;
  const changed = isTwoWay === true ? places : places.slice(0, 1);
  if (changed.length === 0) return undefined;
  const use = await invocation.trashUse();
  let server = { deleted: true, replaced: true };
  for (const { can } of use === undefined ? [] : changed) {
    const found = await can.restoring?.keeps(context).catch(() => undefined);
    const { deleted = false, replaced = false } = found ?? {};
    server = { deleted: deleted && server.deleted, replaced: replaced && server.replaced };
  }
  if (use === undefined) server = { deleted: false, replaced: false };
  const canKeep = changed.every(({ can }) => can.moveFrom ?? can.copyFrom);
  const mayTurn = use?.isOn === true ? SWITCHES.has(title) : canKeep && TURNS_ON.has(title);
  const trash = use?.isOn === true || mayTurn ? use : undefined;
  const copies = changed.some(({ can }) => can.moveFrom === undefined);
  const aside = title !== 'delete' && Boolean(flags.suffix || flags['backup-dir']);
  return { ...defined({ trash }), server, copies, aside, isFixed: !mayTurn, ...keeping };
}

/** The last run that went well between the same two remotes, or the same two paths of this machine. */
async function lastPace({ args, stores }: CommandCall & Environment): Promise<Pace | undefined> {
  const placeOf = (word: string) => parseRemoteSpec(word).name || word;
  const places = args.map(placeOf);
  const runs = await stores.look([], (state) => pastRuns(state, 100));
  return runs.find(({ words, exit, isTrial, files }) => {
    if (exit !== 0 || isTrial === true || files === 0) return false;
    const found = words.map(placeOf);
    // In that order and side by side.
    return found.some((_, at) => places.every((place, of) => found[at + of] === place));
  });
}

/** Whether there is a terminal: a job in the background has none. */
function isOnTerminal(): boolean {
  const { stdin, stdout } = process;
  return stdin.isTTY === true && stdout.isTTY === true && jobControl(process).isForeground();
}

/**
 * `--apply`: makes the changes of a saved plan; with `--review` only prints it, or shows it to choose of them. Rejects with
 * `usage` if the plan is of another command, or of relative paths of another directory.
 */
export async function runSavedPlan<Needs extends ReviewNeeds>(
  invocation: Needs,
  reviewable: Reviewable,
  act: (under: Needs) => Promise<void>,
): Promise<void> {
  const { args, flags, out } = invocation;
  const saved = await readPlan(flags.apply ?? '');
  const { words, dir } = saved;
  const isSame = (word: string) =>
    words.includes(word) || words.includes(absoluteSpec(word, process.cwd()));
  if (![reviewable.title, ...args].every(isSame))
    throw new SyncerError('usage', `the plan is of another command: ${words.join(' ')}`);
  const isRelative = (arg: string) => {
    const { name, path } = parseRemoteSpec(arg);
    return name === '' && !isAbsolute(path);
  };
  if (args.some(isRelative) && process.cwd() !== dir) {
    const text = 'the plan has relative paths and is of another directory';
    throw new SyncerError('usage', text, { advice: `run this in ${dir}` });
  }
  const command = shellLine(shownWords(words));
  if (flags.review || flags['dry-run']) {
    invocation.context.emit(logText('notice', `Command of the plan: ${command}`));
  }
  if (!flags.review) return applyReview(invocation, saved, act);
  const comeBack = asideOfRun(invocation);
  if (!isOnTerminal()) {
    const chosen = new Map([...saved.plan].filter(([, one]) => saved.chosen.has(one)));
    for (const line of planText(chosen)) await out.write(line);
    return;
  }
  const [{ plan }, keeps] = [saved, new Map(saved.keeps)];
  const subject = command.replace(/^syncer \S+ /, '');
  const places = await openPlaces(invocation, reviewable);
  const shown = { plan, keeps, problems: [], subject, places };
  const chosen = await showPlan(invocation, reviewable, shown);
  if (chosen === undefined || chosen === 'with-renames') return;
  comeBack();
  await applyReview(invocation, { plan, chosen, keeps }, act);
}

/** The places that a saved plan changes; none where they cannot be opened: that is the error of the run. */
async function openPlaces(
  { args, remotes }: ReviewNeeds,
  { isTwoWay }: Reviewable,
): Promise<readonly Remote[]> {
  const specs = isTwoWay === true ? args : args.slice(-1);
  return Promise.all(specs.map((spec) => remotes.openDir(spec))).catch(() => []);
}

/**
 * Runs a command so that it makes exactly the chosen changes of a saved plan. Both sides are listed again; what is no
 * longer what was shown is left as it is and logged. Rejects with `plan-outdated` if there was any; what is made already, or
 * no longer needed, is only counted.
 */
async function applyReview<Needs extends ReviewNeeds>(
  invocation: Needs,
  choice: PlanChoice,
  act: (under: Needs) => Promise<void>,
): Promise<void> {
  const chosen = new ChosenPlan(choice, { onLeft: (left) => tellLeft(invocation.context, left) });
  const trial = { context: invocation.context, consent: PRETEND };
  const pretending: Choosing = {
    hasWaited: false,
    keep: (action) => chosen.keep(action),
    allows: async (action) =>
      chosen.allows(action) && (isBackup(action) || mayChange(trial, action)),
  };
  const plan = invocation.flags['dry-run'] ? pretending : chosen;
  await act({ ...invocation, consent: { how: 'chosen', plan } });
  refuseLeft(chosen, invocation.context);
}

function tellLeft(context: Context, { path, why }: Left): void {
  context.emit(logText('notice', WORDS[why], path));
}

/** Throws `plan-outdated` if changes were left because they are no longer what was shown. */
function refuseLeft(chosen: ChosenPlan, context: Context): void {
  const missing = chosen.missing();
  for (const { path, why } of missing) context.emit(logText('info', WORDS[why], path));
  if (missing.length > 0) {
    const what = counted(missing.length, 'change');
    const are = missing.length === 1 ? 'is' : 'are';
    const text = chosen.isIdle ? `Nothing left to do: ${what}` : what;
    context.emit(logText('notice', `${text} ${are} already made, or no longer needed`));
  }
  const left = chosen.left.length;
  if (left === 0) return;
  const were = left === 1 ? 'path was' : 'paths were';
  const text = `${left} ${were} skipped because they changed since the plan was made`;
  const advice = 'run it again with --review to see the remaining changes';
  throw new SyncerError('plan-outdated', text, { advice });
}

/**
 * Begins to plan: what the run says is held back until the plan was shown, if that is on a terminal, which shows the
 * progress and discards keys typed during it.
 */
function startPlanning(context: Context, plan: CollectedPlan, onTerminal: boolean) {
  const { emit } = context;
  const held: SyncerEvent[] = [];
  const problems: string[] = [];
  let [attempt, entries, found] = [1, 0, 0];
  let isOver = false;
  const told: readonly SyncerEvent['type'][] = ['log', 'wait', 'listed', 'check-queued', 'checked'];
  const leave = onTerminal ? showPlanning(() => [entries, plan.changes.size]) : () => {};
  const take = (event: SyncerEvent) => {
    if (isOver) return emit(event);
    if (event.type === 'retry-run') {
      attempt++;
      plan.forget();
      problems.length = 0;
      for (let at = held.length - 1; at >= 0; at--)
        if (held[at]?.type === 'error') held.splice(at, 1);
      return;
    }
    if (event.type === 'listed') entries += event.entries;
    if (event.type === 'error') problems.push(event.error.message);
    if (event.type === 'error' || (event.type === 'log' && onTerminal)) held.push(event);
    else if (told.includes(event.type)) emit(event);
  };
  return {
    context: { ...context, emit: take },
    /** The errors so far: something may be missing from the plan. */
    problems: problems as readonly string[],
    get attempt() {
      return attempt;
    },
    /** All was listed; what follows comes up again when the changes are made. */
    listed: () => {
      found = held.length;
    },
    leave,
    tell: () => held.filter(({ type }) => type === 'log').forEach(emit),
    /** The changes are made: logs what the listing has found, and everything from now on. */
    end() {
      isOver = true;
      held.slice(0, found).forEach(emit);
    },
  };
}

/** A line that counts, until the returned function is called. Before the first change a password may be requested. */
function showPlanning(counts: () => readonly [listed: number, changes: number]): () => void {
  const { stdin, stdout } = process;
  const write = (text: string) => void stdout.write(text);
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const block = startLiveBlock({ write, size }, false);
  let keys: RawKeys | undefined;
  let isLeft = false;
  const timer = setInterval(() => {
    const [listed, changes] = counts();
    if (listed + changes === 0) return;
    keys ??= openRawKeys(stdin, write, (key) => {
      if (isCtrl(key, 'c')) jobControl(process).interrupt();
    });
    block.draw([[span(`Planning: ${listed} entries seen, ${changes} changes so far`)]]);
  }, 200);
  return () => {
    if (isLeft) return;
    isLeft = true;
    clearInterval(timer);
    keys?.close();
    block.leave();
  };
}

/** A plan as text, sorted by path: letter, size, path (directories end with `/`) and reason of each change; then sums. */
export function* planText(plan: Plan): Generator<string> {
  for (const { kind, path, size, reason, isDir } of byPath(plan)) {
    const shown = isDir ? `${path === '' ? '.' : path}/` : path;
    yield `${CHANGE_KINDS[kind].letter} ${reviewSize(size).padStart(10)} ${harmless(shown)}: ${harmless(reason)}\n`;
  }
  const { chosen } = buildPlanTree(plan).root;
  yield `${chosen.changes === 0 ? 'Nothing to do' : `To do: ${totalsText(chosen, '·')}`}\n`;
}
