import { bool, type FlagRows, groupFlags, type ValuesOf } from '../../core/flags.ts';

/** Flags of rules that stand together in help. */
interface OfferedFlags {
  readonly flags: FlagRows;
  /** The flag behind which they stand there. */
  readonly after: string;
}

const IGNORE_TIMES = groupFlags('copy', {
  'ignore-times': bool('Copy all files, even those with equal size and time', { short: 'I' }),
});

const EXISTING = groupFlags('copy', {
  'ignore-existing': bool('Skip files that exist at the destination'),
  existing: bool('Skip files that do not exist at the destination'),
  update: bool('Skip files that are newer at the destination', { short: 'u' }),
  immutable: bool('Fail if an existing file would be changed'),
});

const TIMES = groupFlags('copy', {
  'no-update-modtime': bool(
    'Do not update the modification time of files that are otherwise equal',
  ),
});

/** The flags of the rules in `list.ts`, which this file does not load: every command reads the table of flags. */
export const RULE_FLAGS = { ...IGNORE_TIMES, ...EXISTING, ...TIMES };

/** Where the flags of rules stand in the table. */
export const OFFERED_FLAGS: readonly OfferedFlags[] = [
  { flags: IGNORE_TIMES, after: 'refresh-times' },
  { flags: EXISTING, after: 'multi-thread-streams' },
  { flags: TIMES, after: 'no-update-dir-modtime' },
];

export type RuleRows = typeof RULE_FLAGS;
type RuleFlags = ValuesOf<RuleRows>;

/** `ignoreTimes` of `ignore-times`. */
type OptionName<Flag extends string> = Flag extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<OptionName<Rest>>}`
  : Flag;

/** The values of these flags, as options of the engine. */
export type RuleOptions = {
  readonly [Flag in keyof RuleFlags as OptionName<Flag & string>]: RuleFlags[Flag];
};

/** The options of the rules from their flags. */
export function ruleOptions(flags: RuleFlags): RuleOptions {
  const names = Object.keys(RULE_FLAGS) as (keyof RuleFlags)[];
  const optionOf = (flag: string) => flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(names.map((flag) => [optionOf(flag), flags[flag]])) as RuleOptions;
}

/** Whether modification times count with these flags, which then may have to be requested. */
export function ruleUsesModTimes({ update }: Pick<RuleFlags, 'update'>): boolean {
  return update;
}
